"""What readers of result files share: the file as bytes, the reader as a plug-in, and careful conversions."""

__all__ = [
    "SEPARATORS",
    "Reader",
    "SourceFile",
    "compact",
    "count_of",
    "decimal",
    "decoded",
    "middle",
    "number",
    "starts_with_keys",
    "stem_of",
    "text_of",
]

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import TypeVar

import msgspec

from sparktune.errors import UsageError
from sparktune.model.table import Table

SEPARATORS = (",", ";", "\t")
"""What a table's columns are told apart by."""
_LARGEST = 1e15
_LONGEST = 40  # characters of a number
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A file to read. ``name`` is how it is called in messages, with its folder where it came from one.

    ``beside`` are small files that lie next to it, by name.
    """

    name: str
    data: bytes
    beside: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """One format; the constant ``READER`` of one file in ``bench/imports``.

    ``recognises`` looks at the form only and raises nothing; ``read`` raises UsageError for a file that is of the form
    but broken. Readers are asked by ``order``, the strictest first.
    """

    id: str
    title: str
    recognises: Callable[[SourceFile], bool]
    read: Callable[[SourceFile], Table]
    order: int = 50


def number(value: object) -> float | None:
    """Return a finite number of a size that means something, None for everything else (true and false too)."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) and abs(found) < _LARGEST else None


def decimal(text: str, separator: str = ",") -> float | None:
    """Return the number that a text is, with a decimal comma where commas do not separate; None when it is none."""
    plain = text.replace(",", ".") if separator != "," and text.count(",") == 1 and "." not in text else text
    try:
        return number(float(plain)) if len(plain) <= _LONGEST and "_" not in plain else None
    except ValueError:
        return None


def count_of(value: object) -> int | None:
    """Return a whole number from 0 on, None for everything else."""
    found = number(value)
    return int(found) if found is not None and found >= 0 and found == int(found) else None


def middle(values: Iterable[float | None]) -> float | None:
    """Return the median of the values that are known, None when none is."""
    known = [value for value in values if value is not None]
    return median(known) if known else None


def compact(values: Mapping[str, float | None]) -> dict[str, float]:
    """Return the values that are known and mean something: what is not told is not in a row."""
    return {name: known for name, value in values.items() if (known := number(value)) is not None}


def text_of(file: SourceFile) -> str:
    """Return the file as text without a byte order mark. Raises UsageError when it is none."""
    try:
        return file.data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"{file.name} is no UTF-8 text: byte {error.start} is {file.data[error.start]:#04x}"
        raise UsageError(message, hint="save it as UTF-8") from error


def decoded(file: SourceFile, kind: type[_T], hint: str) -> _T:
    """Return the file's JSON as ``kind``. Raises UsageError with the path of the first wrong value."""
    try:
        return msgspec.json.decode(file.data.strip().removeprefix(b"\xef\xbb\xbf"), type=kind)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        message = f"{file.name} cannot be read: {error}"
        raise UsageError(message, hint=hint) from error


def starts_with_keys(file: SourceFile, *keys: bytes) -> bool:
    """Tell whether a file looks like a JSON object with these keys, whole or cut off."""
    head = file.data.lstrip(b"\xef\xbb\xbf \t\r\n")[:4000]
    return head.startswith(b"{") and all(b'"' + key + b'"' in head for key in keys)


def stem_of(name: str) -> str:
    """Return a file's name without its folder and suffix."""
    base = name.rstrip("/").rpartition("/")[2]
    return base.rpartition(".")[0] or base
