"""A result's JSON for a page: compact, with the digits that somebody could need."""

__all__ = ["compact"]

import json
from collections.abc import Mapping

from sparktune.model.engine import JsonValue

_DIGITS = 7
_TIMES = 1e8  # a larger number is a time or a count, and keeps all of its digits


def compact(record: Mapping[str, JsonValue]) -> str:
    """Write a record without blanks; numbers keep seven digits, the store has all."""
    return json.dumps(_rounded(dict(record)), separators=(",", ":"), allow_nan=False)


def _rounded(value: JsonValue) -> JsonValue:
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}") if abs(value) < _TIMES else value
    if isinstance(value, dict):
        return {name: _rounded(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_rounded(member) for member in value]
    return value
