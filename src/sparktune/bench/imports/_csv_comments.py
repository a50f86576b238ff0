"""What a table of results can say in its comments: settings of its arms, order, knob, command, facts.

::

    # arm A: spec=3 temperature=0.4
    # arm A at end: spec=3
    # order: A B B A
    # knob: spec
    # command: llama-benchy --pp 512 --tg 128
    # kv_pool_tokens: 2050000
"""

__all__ = ["Comments", "read_comments"]

import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass, field

from sparktune.errors import UsageError

_ARM = re.compile(r"^arm\s+(?P<arm>\S.*?)(?P<end>\s+at\s+end)?\s*:\s*(?P<settings>.*)$", re.IGNORECASE)
_KEY = re.compile(r"^(?P<key>[a-z][a-z0-9_ -]{0,40}?)\s*:\s*(?P<value>.*)$", re.IGNORECASE)
_FACTS = frozenset({"model", "engine", "kv_pool_tokens", "source", "gpu_clock_load_mhz", "gpu_clock_idle_mhz"})
_HINT = "write for instance: # arm A: spec=3 temperature=0.4"


@dataclass(slots=True)
class Comments:
    """What the comments say; whatever has another form is prose, and left."""

    settings: dict[str, dict[str, str]] = field(default_factory=dict)
    order: tuple[str, ...] | None = None
    knob: str = ""
    commands: list[str] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)


def read_comments(lines: Iterable[tuple[int, str]], *, source: str) -> Comments:
    """Read comments, each with the number of its line. Raises UsageError for settings that are not KEY=VALUE."""
    found = Comments()
    for place, line in lines:
        text = line.lstrip("#").strip()
        arm, key = _ARM.match(text), _KEY.match(text)
        if arm is not None:
            settings = _settings(arm["settings"], f"{source}, line {place}")
            named = {f"{name}@end": value for name, value in settings.items()} if arm["end"] else settings
            found.settings.setdefault(arm["arm"].strip(), {}).update(named)
        elif key is not None:
            _keep(found, key["key"].lower().strip(), key["value"].strip())
    return found


def _keep(found: Comments, key: str, value: str) -> None:
    if key == "order":
        found.order = tuple(value.replace(",", " ").split())
    elif key == "knob":
        found.knob = value
    elif key == "command":
        found.commands.append(value)
    elif key in _FACTS:
        found.facts[key] = value


def _settings(text: str, where: str) -> dict[str, str]:
    try:
        parts = [part.partition("=") for part in shlex.split(text)]
    except ValueError as error:
        message = f"{where}: the settings of an arm cannot be read: {error}"
        raise UsageError(message, hint=_HINT) from error
    wrong = next((key for key, equals, _ in parts if not equals or not key), None)
    if wrong is not None:
        message = f"{where}: the setting {wrong[:40]!r} has no value"
        raise UsageError(message, hint=_HINT)
    return {key: value for key, _, value in parts}
