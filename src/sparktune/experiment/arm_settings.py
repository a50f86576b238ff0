"""Which settings two arms differ in: flags of their commands, and variables; and which of them were declared."""

__all__ = ["arm_settings", "declared_names", "differing", "flags_of"]

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

_NUMBER = re.compile(r"-?\d")
_ON = "on"


def arm_settings(arm: Mapping[str, Any]) -> dict[str, str]:
    """Return the settings of an arm that a command starts: its flags, its other words by place, its variables."""
    command = arm.get("command", ())
    try:
        words = shlex.split(command) if isinstance(command, str) else [str(word) for word in command]
    except ValueError:  # an open quote: the launcher complains about it
        words = str(command).split()
    variables = arm.get("env") or {}
    return {**flags_of(words), **{f"{name}=": str(value) for name, value in dict(variables).items()}}


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


def declared_names(knob: str) -> frozenset[str]:
    """Return the settings that a knob names: several, separated by commas, are meant to be changed together."""
    return frozenset(name.strip() for name in knob.split(",") if name.strip())
