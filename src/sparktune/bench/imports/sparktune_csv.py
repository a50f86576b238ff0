"""Read a run's CSV as this program writes it (``bench --save``, ``runs export --save FILE.csv``): a line per metric.

A cell is one row: the median over the trials that it says it had, of every metric that has one. The file does not keep
the single trials, and of the checks only which of them were invalid. Several runs in one file are several arms.
Source: ``report/bench/csv.py``.
"""

__all__ = ["READER"]

import csv
from collections.abc import Mapping, Sequence

from sparktune.bench.imports._shared import SEPARATORS, Reader, SourceFile, compact, count_of, decimal, text_of
from sparktune.errors import UsageError
from sparktune.model.cell import Cell
from sparktune.model.check import CheckResult, Status
from sparktune.model.table import Row, Table

_NEEDED = frozenset({"run", "metric", "median", "prompt_tokens", "output_tokens", "depth", "concurrency"})
_SHAPE = ("run", "prompt_tokens", "output_tokens", "depth", "concurrency", "cell")
_WHOLE = ("prompt_tokens", "output_tokens", "depth", "concurrency", "trials", "requests", "failed")
_LONGEST_HEAD = 4000
_MOST_LINES = 100_000
_HINT = "write it again with: sparktune runs export RUN --save FILE.csv"
_NOTE = "a CSV keeps a cell's medians: the JSON of the run has its trials, and what every check found"
_Line = Mapping[str, str]


def _table(file: SourceFile) -> Table:
    lines = _lines(file)
    runs = tuple(dict.fromkeys(line["run"] for line in lines))
    several = len(runs) > 1
    cells: dict[tuple[str, ...], list[_Line]] = {}
    for line in lines:
        cells.setdefault(tuple(line.get(name, "") for name in _SHAPE), []).append(line)
    return Table(
        source=READER.id,
        name=file.name,
        rows=tuple(_row(found, several=several) for found in cells.values()),
        arms=runs if several else (),
        facts={"run": ", ".join(runs), "model": _agreed(lines, "model"), "engine": _agreed(lines, "engine")},
        notes=(_NOTE,),
    )


def _lines(file: SourceFile) -> list[_Line]:
    """Return the lines below the head, by column, with decimal points. Raises UsageError for a line that is cut off."""
    text = text_of(file)
    separator = _separator(text)
    table = csv.reader(text.splitlines(), delimiter=separator, strict=True)
    found: list[_Line] = []
    try:
        heads = [head.strip() for head in next(table)]
        for parts in table:
            if not parts or parts == heads:  # several files put into one
                continue
            found.append(_line(heads, parts, separator, f"{file.name}, line {table.line_num}"))
            if len(found) > _MOST_LINES:
                message = f"{file.name} has more than {_MOST_LINES:,} lines"
                raise UsageError(message, hint="give the runs in files of their own")
    except csv.Error as error:
        message = f"{file.name}, line {table.line_num}: {error}"
        raise UsageError(message, hint=_HINT) from error
    if not found:
        message = f"{file.name} has no line below its head"
        raise UsageError(message, hint=_HINT)
    return found


def _line(heads: Sequence[str], parts: Sequence[str], separator: str, where: str) -> _Line:
    if len(parts) != len(heads):
        message = f"{where}: {len(parts)} values for {len(heads)} columns"
        raise UsageError(message, hint=f"was the file cut off? {_HINT}")
    line = {head: part.strip() for head, part in zip(heads, parts, strict=True)}
    wrong = next((name for name in _WHOLE if line.get(name) and count_of(decimal(line[name])) is None), "")
    wrong = wrong or ("median" if line["median"] and not _is_number(line["median"], separator) else "")
    if wrong:
        kind = "whole number from 0 up" if wrong in _WHOLE else "number"
        message = f"{where}: {wrong} is {line[wrong][:40]!r}, not a {kind}"
        raise UsageError(message, hint=_HINT)
    value = decimal(line["median"], separator)
    return {
        **line,
        "median": "" if value is None else repr(value),
    }  # too large to mean anything: unknown, as in the JSON


def _is_number(text: str, separator: str) -> bool:
    try:
        float(text.replace(",", ".") if separator != "," else text)
    except ValueError:
        return False
    return True


def _row(lines: Sequence[_Line], *, several: bool) -> Row:
    first = lines[0]
    name = first.get("cell", "")
    shaped = bool(name) and not _is_plain(first, name)
    values = {line["metric"]: decimal(line["median"]) for line in lines if line["metric"] and line["median"]}
    known = {key: value for key, value in values.items() if not (shaped and key == "prompt_tokens")}
    return Row(
        prompt_tokens=None if shaped else _whole(first, "prompt_tokens"),  # no wave, as in the JSON
        output_tokens=_whole(first, "output_tokens"),
        depth=_whole(first, "depth"),
        concurrency=_whole(first, "concurrency"),
        arm=first["run"] if several else "",
        trials=_whole(first, "trials"),
        label=name if shaped else "",
        checks=tuple(_invalid(check_id) for check_id in first.get("invalid_checks", "").split()),
        values=compact(
            {
                **known,
                "requests": decimal(first.get("requests", "")),
                "failed_requests": decimal(first.get("failed", "")),
            },
        ),
    )


def _is_plain(line: _Line, name: str) -> bool:
    """Tell whether a cell's name says no more than its four numbers do."""
    prompt, output, depth, streams = (_whole(line, key) for key in _SHAPE[1:5])
    if not prompt or not output or not streams:
        return False
    return Cell(prompt_tokens=prompt, output_tokens=output, depth=depth or 0, concurrency=streams).label == name


def _invalid(check_id: str) -> CheckResult:
    return CheckResult(
        id=check_id,
        status=Status.INVALID,
        evidence="the run's own check voids this cell; its CSV does not say why",
        hint="read the JSON of the run instead: sparktune runs export RUN --save FILE.json",
    )


def _whole(line: _Line, name: str) -> int | None:
    return count_of(decimal(line.get(name, "")))


def _agreed(lines: Sequence[_Line], name: str) -> str:
    return ", ".join(dict.fromkeys(line.get(name, "") for line in lines))


def _separator(text: str) -> str:
    return max(SEPARATORS, key=text.lstrip().partition("\n")[0].count)


def _is_ours(file: SourceFile) -> bool:
    head = file.data.lstrip(b"\xef\xbb\xbf \t\r\n")[:_LONGEST_HEAD].partition(b"\n")[0].decode("utf-8", "replace")
    return {name.strip().strip('"') for name in head.split(_separator(head))} >= _NEEDED


READER = Reader(
    id="sparktune-csv",
    title="sparktune's own CSV (bench --save, runs export --save FILE.csv)",
    recognises=_is_ours,
    read=_table,
    order=80,
)
