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
from sparktune.report.layout import table_text

_SCHEMA = 1
_NUMBERS = ("run", "state", "cells", "valid", "waves")
_LEFT = _NUMBERS[:2]
_NAMES = ("engine", "model", "endpoint")
_FEWEST = 8  # letters of a name that still say something
_NEVER = "valid: the run was not evaluated yet"


def runs_text(rows: Sequence[RunRow], *, width: int = 80, color: bool = False) -> str:
    """Render a table of ``width`` columns, one line per run; the time in an id is UTC.

    What does not fit of a model's name and an address is cut in the middle: both differ at their ends. Below the width
    of that, each run is a few lines.
    """
    told = [_words(row) for row in rows]
    if _least(told) > width:
        return table_text((*_NUMBERS, *_NAMES), told, width)
    console = Console(
        file=io.StringIO(),
        width=width,
        force_terminal=color,
        color_system="standard" if color else None,
        legacy_windows=False,
        _environ={},
    )
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for name in _NUMBERS:
        table.add_column(name, no_wrap=True, justify="left" if name in _LEFT else "right")
    for name in _NAMES:
        table.add_column(name, no_wrap=True)
    for words in _fitted(told, width):
        table.add_row(*(Text(word) for word in words))
    with console.capture() as capture:
        console.print(table)
    return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"


def _words(row: RunRow) -> tuple[str, ...]:
    numbers = (str(row.cells), UNKNOWN if row.valid is None else str(row.valid), str(row.waves))
    words = (row.id, row.state.value, *numbers, row.engine, row.model, row.base_url)
    return tuple(one_line(word) for word in words)


def _fitted(rows: Sequence[tuple[str, ...]], width: int) -> list[tuple[str, ...]]:
    """Cut the last two columns, model and endpoint, to what the others leave of a line."""
    whole = [(*_NUMBERS, *_NAMES), *rows]
    *fixed, model, url = (max(map(len, column)) for column in zip(*whole, strict=True))
    # A blank follows each column but the last.
    left = max(width - sum(fixed) - len(fixed) - 1, 2 * _FEWEST)
    model = min(model, max(left // 2, left - url))
    url = min(url, left - model)
    return [(*words[:-2], _cut(words[-2], model), _cut(words[-1], url)) for words in rows]


def _least(rows: Sequence[tuple[str, ...]]) -> int:
    """Return the width of a table whose names are cut to what still says something."""
    *fixed, _model, _url = (max(map(len, column)) + 1 for column in zip((*_NUMBERS, *_NAMES), *rows, strict=True))
    return sum(fixed) + 2 * _FEWEST + 1


def _cut(text: str, width: int) -> str:
    if len(text) > width:
        text = text.removeprefix("http://")  # the usual one; https stays
    if len(text) <= width:
        return text
    end = width // 2
    return f"{text[: width - end - 1]}…{text[-end:]}"


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
