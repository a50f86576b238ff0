"""Frozen records as what JSON can hold."""

__all__ = ["cell_record", "plain_record", "workload_record"]

import math

import msgspec

from sparktune.model.cell import Cell
from sparktune.model.engine import JsonValue
from sparktune.model.workload import Workload

_Record = dict[str, JsonValue]


def plain_record(record: object) -> _Record:
    """Return a frozen record as JSON members; a float that is no number becomes null."""
    members: _Record = msgspec.to_builtins(record)
    return {name: _finite_members(value) for name, value in members.items()}


def cell_record(cell: Cell) -> _Record:
    """Return what a cell is as JSON members; ``shape`` is there for one that is more than four numbers.

    The requests of a mix have no common length: its prompt tokens are null, and the shape says which it has.
    """
    numbers: _Record = {
        "prompt_tokens": None if cell.is_mix else cell.prompt_tokens,
        "output_tokens": cell.output_tokens,
        "depth": cell.depth,
        "concurrency": cell.concurrency,
    }
    if cell.is_plain:
        return numbers
    mixes = (("household", cell.household), ("prompts", cell.prompts), ("replay", cell.replay))
    told = (("arrivals", cell.arrivals), *mixes)
    shape: _Record = {name: plain_record(part) for name, part in told if part is not None}
    return {**numbers, "shape": shape}


def workload_record(workload: Workload) -> _Record:
    """Return a workload as JSON members, its cells as ``cell_record`` has them."""
    return {**plain_record(workload), "cells": [cell_record(cell) for cell in workload.cells]}


def _finite_members(value: JsonValue) -> JsonValue:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: _finite_members(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_finite_members(member) for member in value]
    return value
