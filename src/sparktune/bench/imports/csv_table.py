"""Read a table of results as CSV: one arm, arms in a column, or arms as columns (``off_ttft_s``, ``on_ttft_s``).

Any subset of the columns in any order; comma, semicolon (with decimal commas) or tab; a byte order mark; comments with
``#``, which may hold what an article says beside its table (see ``_csv_comments``). What is missing is unknown.
Source: the columns are this program's own names of cells and metrics.
"""

__all__ = ["READER"]

import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from sparktune.bench.imports._csv_columns import COLUMNS, METRICS, Column, columns_of
from sparktune.bench.imports._csv_comments import read_comments
from sparktune.bench.imports._shared import SEPARATORS, Reader, SourceFile, compact, decimal, text_of
from sparktune.errors import UsageError
from sparktune.model.table import Row, Table

_UNKNOWN = frozenset({"", "-", "?", "n/a", "na", "nan", "null", "none", "unknown"})
_BASELINES = ("base", "before", "control", "default", "off", "old", "orig", "stock")
_MOST_ROWS = 20_000
_LARGEST = 1_000_000_000
_LONGEST_HEAD = 4000
_SENT = {"sent_prompt_tokens": "prompt_tokens", "sent_output_tokens": "output_tokens"}
_SHARES = frozenset({"prefix_hit_share"})
_TEXTS = frozenset({"arm", "label", "prompt_id"})


def _table(file: SourceFile) -> Table:
    lines = [(place, line) for place, line in enumerate(text_of(file).splitlines(), 1) if line.strip()]
    comments = read_comments(
        ((place, line) for place, line in lines if line.lstrip().startswith("#")), source=file.name
    )
    body = [(place, line) for place, line in lines if not line.lstrip().startswith("#")]
    if len(body) < 2:  # noqa: PLR2004 - a head and a row
        message = f"{file.name} has no row below its head"
        raise UsageError(message, hint="the first line names the columns, every other one is a trial or a summary")
    if len(body) > _MOST_ROWS:
        message = f"{file.name} has {len(body):,} rows, at most {_MOST_ROWS:,} are read"
        raise UsageError(message, hint="give the trials' summaries, not single requests")
    separator = max(SEPARATORS, key=body[0][1].count)
    heads = [head.strip().strip('"').strip() for head in body[0][1].split(separator)]
    columns = columns_of(heads, source=file.name, line=body[0][0])
    rows = [row for place, line in body[1:] for row in _rows(_cells(line, separator, columns, file.name, place))]
    arms = _arms(rows, columns, tuple(comments.settings))
    return Table(
        source=READER.id,
        name=file.name,
        rows=tuple(_counted(rows, columns)),
        arms=arms,
        order=comments.order,
        settings=comments.settings,
        knob=comments.knob,
        command="\n".join(comments.commands),
        facts=comments.facts,
    )


def _arms(rows: Sequence[Row], columns: Sequence[Column], told: tuple[str, ...]) -> tuple[str, ...]:
    """Return the arms, the baseline first: by columns, by comments, by its name; never by the order of rows."""
    present = {row.arm for row in rows if row.arm}
    wide = [column.arm for column in columns if column.arm]
    by_name = sorted(present, key=lambda arm: (not arm.lower().startswith(_BASELINES), arm))
    return tuple(arm for arm in dict.fromkeys([*wide, *told, *by_name]) if arm in present)


def _cells(line: str, separator: str, columns: Sequence[Column], source: str, place: int) -> dict[Column, str | float]:
    """Return the values of a line that are known, by column. Raises UsageError for what is none."""
    try:
        (parts,) = csv.reader([line], delimiter=separator, skipinitialspace=True)
    except (csv.Error, ValueError) as error:
        message = f"{source}, line {place}: {error}"
        raise UsageError(message, hint="a line is its values with separators between them") from error
    if len(parts) != len(columns):
        message = f"{source}, line {place}: {len(parts)} values for {len(columns)} columns"
        raise UsageError(message, hint="leave a value that is not known empty, but keep its separator")
    found: dict[Column, str | float] = {}
    for column, part in zip(columns, parts, strict=True):
        text = part.strip()
        if text.lower() not in _UNKNOWN:
            found[column] = (
                text if column.name in _TEXTS else _value(text, column, separator, f"{source}, line {place}")
            )
    return found


def _value(text: str, column: Column, separator: str, where: str) -> float:
    value = decimal(text, separator)
    whole = column.name in COLUMNS
    if value is None or value < 0 or value > _LARGEST or (whole and value != int(value)):
        kind = "whole number" if whole else "number"
        message = f"{where}: {column.name} is {text[:40]!r}, not a {kind} from 0 up"
        raise UsageError(message, hint="plain numbers in seconds and tokens per second; empty where it is not known")
    if column.name in _SHARES and value > 1:
        message = f"{where}: {column.name} is {text[:40]!r}, not a share from 0 to 1"
        raise UsageError(message, hint="write 35 % as 0.35")
    return value


def _rows(cells: dict[Column, str | float]) -> list[Row]:
    """Return the row of a line; where arms are columns, one for each."""
    arms = tuple(dict.fromkeys(column.arm for column in cells if column.arm))
    shared = {column.name: value for column, value in cells.items() if not column.arm}
    if not arms:
        return [_row(shared, str(shared.get("arm", "")))]
    of_arm = {arm: {column.name: value for column, value in cells.items() if column.arm == arm} for arm in arms}
    return [_row({**shared, **values}, arm) for arm, values in of_arm.items()]


def _row(values: dict[str, str | float], arm: str) -> Row:
    known = {name: float(value) for name, value in values.items() if name in METRICS}
    return Row(
        prompt_tokens=_whole(values, "prompt_tokens"),
        output_tokens=_whole(values, "output_tokens"),
        depth=_whole(values, "depth"),
        concurrency=_whole(values, "concurrency"),
        arm=arm,
        block=_whole(values, "block"),
        trial=_whole(values, "trial"),
        trials=_whole(values, "trials"),
        label=str(values.get("label", "")),
        prompt_id=str(values.get("prompt_id", "")),
        values=compact({_SENT.get(name, name): value for name, value in known.items()}),
    )


def _counted(rows: list[Row], columns: Sequence[Column]) -> list[Row]:
    """Say of rows with a number, or of several of one cell, that each is one trial; a lone one may be a summary."""
    single = any(column.name in {"trial", "block"} for column in columns)
    keys = [(row.arm, row.cell, row.label, row.prompt_id) for row in rows]
    counts = Counter(keys)
    return [
        replace(row, trials=1) if row.trials is None and (single or counts[key] > 1 or row.prompt_id) else row
        for row, key in zip(rows, keys, strict=True)
    ]


def _whole(values: dict[str, str | float], name: str) -> int | None:
    value = values.get(name)
    return int(value) if isinstance(value, float) else None


def _has_head(data: bytes) -> bool:
    """Tell whether the first line that is no comment has separators, or is one word: then it names columns."""
    lines = (line.strip() for line in data.decode("utf-8-sig", "replace").splitlines())
    head = next((line for line in lines if line and not line.startswith("#")), "")
    return len(head) < _LONGEST_HEAD and (any(mark in head for mark in SEPARATORS) or head.replace("_", "").isalnum())


READER = Reader(
    id="csv",
    title="CSV with columns such as prompt_tokens, concurrency, arm, trial, ttft_s, output_tok_s",
    recognises=lambda file: (
        not file.data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")) and _has_head(file.data)
    ),
    read=_table,
    order=90,
)
