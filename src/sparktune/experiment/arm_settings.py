"""Which settings two arms differ in: flags of their commands, and variables; and which of them were declared."""

__all__ = ["arm_settings", "called", "declared_names", "differing", "flags_of"]

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

_NUMBER = re.compile(r"-?\d")
# The words of services for settings by name, and what makes a name of theirs no other's.
_NAMED = {"env": "{}=", "flags": "{}", "keys": "{}:", "options": "{}"}
_WHOLE = ("executor_args",)
_ON = "on"


def arm_settings(arm: Mapping[str, Any]) -> dict[str, str]:
    """Return the settings of an arm by name: flags and words of its command, variables, what a service is set by."""
    command = arm.get("command", ())
    try:
        words = shlex.split(command) if isinstance(command, str) else [str(word) for word in command]
    except ValueError:  # an open quote: the launcher complains about it
        words = str(command).split()
    named = {
        form.format(name): str(value)
        for kind, form in _NAMED.items()
        if isinstance(given := arm.get(kind), Mapping)
        for name, value in given.items()
    }
    return {**flags_of(words), **named, **{name: str(arm[name]) for name in _WHOLE if name in arm}}


def flags_of(words: Sequence[str]) -> dict[str, str]:
    """Return ``--flag`` and its value, ``on`` where it has none; other words by their place, from 0."""
    found: dict[str, str] = {}
    place, other = 0, 0
    while place < len(words):
        word = words[place]
        place += 1
        if not word.startswith("-") or _NUMBER.match(word):
            found[f"word {other}"] = word
            other += 1
            continue
        name, mark, value = word.partition("=")
        if not mark:
            has_value = place < len(words) and (not words[place].startswith("-") or _NUMBER.match(words[place]))
            value = words[place] if has_value else _ON
            place += bool(has_value)
        found[name] = f"{found[name]} {value}" if name in found else value
    return found


def differing(first: Mapping[str, str], second: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of settings that are not the same, in their order."""
    return tuple(name for name in dict.fromkeys((*first, *second)) if first.get(name) != second.get(name))


def called(name: str) -> str:
    """Return a setting's name as people write it: without the mark that keeps a variable from a word of that name."""
    return name if name.startswith("-") else name.rstrip("=:") or name


def declared_names(knob: str) -> frozenset[str]:
    """Return the settings that a knob names: several, separated by commas, are meant to be changed together."""
    return frozenset(called(name.strip()) for name in knob.split(",") if name.strip())
