"""Values as the store keeps them: records as JSON, instants as packed integers, bodies as zlib.

JSON goes through the standard library's writer because it returns everything it was given: lone surrogates of an
undecodable argument, and NaN where a number of a broken wave is unknown.
"""

__all__ = ["compress", "decompress", "from_json", "pack", "plain_text", "to_json", "unpack"]

import json
import sys
import zlib
from array import array
from collections.abc import Sequence
from typing import TypeVar

import msgspec

_T = TypeVar("_T")

_WIDTH = 8
_FAST = 1  # zlib level: event streams shrink tenfold already; higher levels cost several times the CPU


def to_json(value: object) -> str:
    """Render a frozen record (enums by value) as JSON text."""
    return json.dumps(msgspec.to_builtins(value), separators=(",", ":"))


def from_json(text: str, kind: type[_T]) -> _T:
    """Rebuild a record; raises msgspec.ValidationError or ValueError when the text is not one."""
    return msgspec.convert(json.loads(text), kind)


def compress(data: bytes) -> bytes:
    """Shrink a body."""
    return zlib.compress(data, _FAST)


def decompress(blob: bytes) -> bytes:
    """Give the body back; raises zlib.error when the blob is damaged."""
    return zlib.decompress(blob)


def pack(values: Sequence[int]) -> bytes:
    """Pack signed 64-bit integers: little-endian, grouped by byte place, then zlib.

    Instants of one request share their upper bytes; side by side these shrink to almost nothing.
    """
    flat = array("q", values)
    if sys.byteorder == "big":
        flat.byteswap()
    raw = flat.tobytes()
    return compress(b"".join(raw[place::_WIDTH] for place in range(_WIDTH)))


def unpack(blob: bytes) -> Sequence[int]:
    """Undo ``pack``; an array of 8 bytes per value, not a tuple of objects: a wave can hold millions."""
    planes = decompress(blob)
    count = len(planes) // _WIDTH
    raw = bytearray(len(planes))
    for place in range(_WIDTH):
        raw[place::_WIDTH] = planes[place * count : (place + 1) * count]
    flat = array("q", bytes(raw))
    if sys.byteorder == "big":
        flat.byteswap()
    return flat


def plain_text(text: str) -> str:
    """Make text storable as UTF-8: a lone surrogate becomes its escape."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
