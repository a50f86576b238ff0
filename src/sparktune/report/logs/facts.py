"""Facts of logs, one row per fact, one column per log."""

__all__ = ["facts_table"]

import io
import textwrap
from collections.abc import Mapping, Sequence
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sparktune.model.log import LogFact, ReadLog
from sparktune.model.setting import Value
from sparktune.report.bench.words import one_line
from sparktune.units import count_of

_WIDEST: Final = 44
_MOST_ROWS: Final = 40


def facts_table(logs: Sequence[ReadLog], width: int, *, everything: bool = False) -> str:
    """Return the last value of every fact by log, or say that there is none."""
    keys = dict.fromkeys(fact.key for log in logs for fact in log.facts)
    rows = [(key, [_shown(log, key) for log in logs]) for key in keys]
    head = [("engine", [one_line(f"{log.engine} {log.version}") or "-" for log in logs])]
    if not rows and not any(log.engine for log in logs):
        return textwrap.fill("no facts: none of these lines tells one of vLLM, SGLang, llama.cpp or NCCL", width)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("fact", overflow="fold")
    for log in logs:
        table.add_column(
            Text(one_line(f"{log.node} {log.file}".strip() if len(logs) > 1 else "value")), overflow="fold"
        )
    shown = [*head, *(one for one in rows if one[0] != "version")]
    for key, cells in shown if everything else shown[:_MOST_ROWS]:
        table.add_row(Text(key), *map(Text, cells))
    console = Console(file=io.StringIO(), width=width, force_terminal=False, color_system=None, _environ={})
    with console.capture() as capture:
        console.print(table)
    text = "\n".join(line.rstrip() for line in capture.get().splitlines())
    left = 0 if everything else len(shown) - _MOST_ROWS
    return f"{text}\n{count_of(left, 'more fact')}: --all shows them" if left > 0 else text


def _shown(log: ReadLog, key: str) -> str:
    found = log.all_of(key)
    return _value(found[-1]) + (f" (last of {len(found)})" if len(found) > 1 else "") if found else "-"


def _value(fact: LogFact) -> str:
    text = one_line(f"{_plain(fact.value)} {fact.unit}")
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 3]}..."


def _plain(value: Value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, tuple):
        return ", ".join(map(_plain, value))
    if isinstance(value, Mapping):
        return ", ".join(f"{key}={_plain(one)}" for key, one in value.items())
    return "none" if value is None else str(value)
