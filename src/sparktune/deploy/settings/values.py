"""A text that somebody wrote for a setting -> its value, and back.

A value that the engine would not understand stays the text that it is: saying what is wrong with it is not for here.
"""

__all__ = ["member_of", "plain", "value_of", "word_of"]

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from sparktune.model.setting import OptionKind, Value

_SIZE = re.compile(r"(\d+(?:\.\d+)?)([A-Za-z])")
_QUOTED = re.compile(r'("(?:[^"\\]|\\.)*")')
_DEEPEST = 50
_BARE_SIZE = re.compile(r"\b\d+(?:\.\d+)?[A-Za-z]\b")


def value_of(text: str, kind: OptionKind, suffixes: Mapping[str, int], words: Mapping[str, Value]) -> Value:
    """Return what a text says for an option of this kind; ``words`` have a meaning of their own."""
    bare = text.strip()
    for spelling in (bare, bare.lower()):
        if bare and spelling in words:
            return words[spelling]
    if kind == "int":
        return _int(text)
    if kind == "size":
        return _size(text, suffixes)
    if kind == "float":
        return _float(text)
    return _json(text, suffixes) if kind == "json" else text


def member_of(text: str, suffixes: Mapping[str, int]) -> Value:
    """Return what a text says at a place of a map (``--x.y 1k``): JSON, else a size, else the text."""
    try:
        return plain(json.loads(text, parse_constant=_refuse))
    except (ValueError, RecursionError):
        return _size(text, suffixes)


def plain(value: Any, depth: int = 0) -> Value:  # noqa: ANN401 - what JSON or YAML has
    """Return data as settings have it: lists as tuples, what is not known as its text.

    Raises ValueError for data that is nested deeper than any setting.
    """
    if depth > _DEEPEST:
        message = f"nested deeper than {_DEEPEST}"
        raise ValueError(message)
    if isinstance(value, Mapping):
        return {str(key): plain(one, depth + 1) for key, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return tuple(plain(one, depth + 1) for one in value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)


def word_of(value: Value) -> str:
    """Return a value as one word of a command line, that ``value_of`` reads back."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | Mapping | tuple) or value is None:
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return repr(value)


def _int(text: str) -> int | str:
    try:
        return int(text)
    except ValueError:
        return text


def _size(text: str, suffixes: Mapping[str, int]) -> int | str:
    """Read ``1k``; a fraction only with a suffix that counts by thousands, as vLLM does."""
    found = _SIZE.fullmatch(text.strip())
    if found is None or found[2] not in suffixes:
        return _int(text)
    number, many = found[1], suffixes[found[2]]
    if "." not in number:
        return int(number) * many
    return int(float(number) * many) if found[2].islower() else text


def _float(text: str) -> float | str:
    try:
        value = float(text)
    except ValueError:
        return text
    return value if math.isfinite(value) else text


def _json(text: str, suffixes: Mapping[str, int]) -> Value:
    for attempt in (text, _with_sizes(text, suffixes)):
        try:
            return plain(json.loads(attempt, parse_constant=_refuse))
        except (ValueError, RecursionError):
            continue
    return text


def _with_sizes(text: str, suffixes: Mapping[str, int]) -> str:
    """Write sizes outside of quotes out: ``{"a": 1k}`` is no JSON, and vLLM takes it."""
    parts = _QUOTED.split(text)
    parts[::2] = [_BARE_SIZE.sub(lambda found: str(_size(found[0], suffixes)), part) for part in parts[::2]]
    return "".join(parts)


def _refuse(name: str) -> float:
    message = f"{name} is no number"
    raise ValueError(message)
