"""Reading what measuring tools wrote, one file per format; each exports ``READER``. Pure: bytes in, typed rows out."""

__all__ = ["Reader", "SourceFile", "all_readers", "combine_tables", "read_table"]

import sys
from dataclasses import replace
from functools import cache

from sparktune.bench.imports._combine import combine_tables
from sparktune.bench.imports._gpu import facts_of_samples
from sparktune.bench.imports._shared import Reader, SourceFile
from sparktune.errors import UsageError
from sparktune.model.table import Row, Table
from sparktune.plugins import load_plugins

_LARGEST = 1_000_000_000


@cache
def all_readers() -> tuple[Reader, ...]:
    """Return every reader, in the order in which they are asked whether a file is theirs."""
    readers = load_plugins(sys.modules[__name__], "READER", Reader)
    return tuple(sorted(readers, key=lambda reader: (reader.order, reader.id)))


def read_table(file: SourceFile) -> Table:
    """Return the table of a file. Raises UsageError when no reader knows the form, or its own cannot read it."""
    if not file.data.strip():
        message = f"{file.name} is empty"
        raise UsageError(message, hint="was the benchmark interrupted before it wrote its result?")
    reader = next((reader for reader in all_readers() if reader.recognises(file)), None)
    if reader is None:
        message = f"{file.name} has no form that is known here: it begins with {_beginning(file.data)}"
        known = "; ".join(reader.title for reader in all_readers())
        raise UsageError(message, hint=f"known are: {known}")
    try:
        table = reader.read(file)
        rows = tuple(_plausible(row) for row in table.rows)
        return replace(table, rows=rows, facts={**facts_of_samples(file.beside), **table.facts})
    except ArithmeticError as error:
        message = f"{file.name} holds numbers that no measurement gives: {error}"
        raise UsageError(message, hint="rates are tokens per second, times seconds, in a plain decimal form") from error


def _plausible(row: Row) -> Row:
    """Call a size unknown that no request has: what follows from it would be worse."""
    return replace(
        row,
        prompt_tokens=_size(row.prompt_tokens),
        output_tokens=_size(row.output_tokens),
        depth=_size(row.depth),
        concurrency=_size(row.concurrency),
    )


def _size(value: int | None) -> int | None:
    return value if value is not None and 0 <= value <= _LARGEST else None


def _beginning(data: bytes) -> str:
    return ascii(data.strip()[:40].decode("utf-8", "replace"))
