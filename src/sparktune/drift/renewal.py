"""The command that would measure again what was earned: the one that was typed, else one that is made of the entry."""

__all__ = ["renewal_command"]

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from sparktune.model.earned import EarnedEntry
from sparktune.redact import MASK

_PARTS: Final = {
    "compose": "NODE:FILE:SERVICE",
    "systemd": "NODE:UNIT",
    "sparkrun": "NODE:RECIPE",
}
_NOT_SAID: Final = "WORKLOAD"
_NO_ARM: Final = "ARM"
_ARM_WORDS: Final = {"env": "env", "flags": "flag", "keys": "key", "options": "option"}


def renewal_command(entry: EarnedEntry, typed: Sequence[str] = (), folder: str = "") -> str:
    """Return the command that would measure it again.

    ``typed`` are the words of the command that earned it, with the program's name first, and ``folder`` where it was
    typed: then it is that one. Else it is made of the entry, and words in capital letters are to be filled in.
    """
    words = _again(typed) or ["sparktune", "ab", *_template(entry)]
    command = shlex.join(words)
    return f"cd {shlex.quote(folder)} && {command}" if folder and _again(typed) else command


def _again(typed: Sequence[str]) -> list[str]:
    """Return the words to type again; () where they would not run the experiment anew."""
    words = list(typed[1:])
    if words[:1] != ["ab"] or words[1:2] == ["resume"]:
        return []
    kept: list[str] = []
    for word in words:
        if word == MASK and kept:
            kept.pop()  # the flag of a key, which was never kept: SPARKTUNE_API_KEY has it
        elif MASK not in word:
            kept.append(word)
    return ["sparktune", *kept]


def _template(entry: EarnedEntry) -> Iterator[str]:
    scope, evidence = entry.scope, entry.evidence
    if scope.service:
        yield from ("--url" if "://" in scope.service else "--service", scope.service)
    launcher = scope.launcher or ""
    if launcher:
        yield from ("--launcher", launcher)
    if launcher in _PARTS and (not scope.service or "://" in scope.service):  # else sparktune.yaml says where
        yield from ("--where", _PARTS[launcher])
    yield from ("--knob", entry.knob)
    yield from ("--a", _arm(entry.instead_of), "--b", _arm(entry.value))
    yield from ("--workload", _NOT_SAID)
    if evidence.metric:
        yield from ("--primary", evidence.metric)
    for guard in evidence.guards:
        yield from ("--guard", guard)


def _arm(value: Any) -> str:  # noqa: ANN401 - what a file has
    if value is None:
        return _NO_ARM
    if not isinstance(value, Mapping):
        return str(value)
    command = value.get("command", value.get("text"))
    if isinstance(command, list | tuple):
        return shlex.join(str(word) for word in command)
    if command is not None:
        return str(command)
    return " ".join(
        shlex.quote(f"{word}:{name}" if said is True else f"{word}:{name}={_said(said)}")
        for kind, word in _ARM_WORDS.items()
        if isinstance(named := value.get(kind), Mapping)
        for name, said in named.items()
    )


def _said(value: object) -> str:
    return "" if value is None else str(value)
