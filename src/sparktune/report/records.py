"""Frozen records as what JSON can hold."""

__all__ = ["plain_record"]

import math

import msgspec

from sparktune.model.engine import JsonValue

_Record = dict[str, JsonValue]


def plain_record(record: object) -> _Record:
    """Return a frozen record as JSON members; a float that is no number becomes null."""
    members: _Record = msgspec.to_builtins(record)
    return {name: _finite_members(value) for name, value in members.items()}


def _finite_members(value: JsonValue) -> JsonValue:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: _finite_members(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_finite_members(member) for member in value]
    return value
