"""A list of runs as a table and as JSON."""

__all__ = ["runs_json", "runs_text"]

import io
import json
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sparktune.model.run_row import RunRow
from sparktune.report.bench.words import UNKNOWN, one_line, utc

_SCHEMA = 1
_NEVER = "valid: the run was not evaluated yet"


def runs_text(rows: Sequence[RunRow], *, width: int = 80, color: bool = False) -> str:
    """Render a table of ``width`` columns, one run per row; the time in an id is UTC."""
    console = Console(
        file=io.StringIO(),
        width=width,
        force_terminal=color,
        color_system="standard" if color else None,
        legacy_windows=False,
        _environ={},
    )
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("run", no_wrap=True)
    table.add_column("state", no_wrap=True)
    for name in ("cells", "valid", "waves"):
        table.add_column(name, justify="right", no_wrap=True)
    for name in ("model", "engine", "endpoint"):
        table.add_column(name, overflow="fold")
    for row in rows:
        numbers = (str(row.cells), UNKNOWN if row.valid is None else str(row.valid), str(row.waves))
        words = (row.id, row.state.value, *numbers, row.model, row.engine, row.base_url)
        table.add_row(*(Text(one_line(word)) for word in words))
    with console.capture() as capture:
        console.print(table)
    return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"


def runs_json(rows: Sequence[RunRow]) -> str:
    """Render schema 1: the runs in the order given."""
    records = [
        {
            "run": row.id,
            "created": utc(row.created_wall_s),
            "created_wall_s": row.created_wall_s,
            "state": row.state.value,
            "base_url": row.base_url,
            "model": row.model,
            "engine": row.engine,
            "cells": row.cells,
            "waves": row.waves,
            "valid": row.valid,
            "why": _NEVER if row.valid is None else "",
        }
        for row in rows
    ]
    return json.dumps({"schema": _SCHEMA, "runs": records}, indent=2, allow_nan=False) + "\n"
