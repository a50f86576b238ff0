"""What the proxy tells the recording process: one frame per read, in the order in which bytes passed."""

__all__ = ["Frame", "Kind", "frame_head", "read_frames"]

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from io import BufferedReader

from sparktune.units import Nanoseconds

_HEAD = struct.Struct("<BIQI")  # kind, connection, monotonic nanoseconds, bytes that follow


class Kind(IntEnum):
    """What a frame is about."""

    OPENED = 0
    UP = 1  # bytes of the client, which follow
    DOWN = 2  # bytes of the server, which follow
    CLIENT_GONE = 3
    SERVER_GONE = 4
    SKIPPED = 5  # bytes passed that are not told: the recording was too far behind
    STOPPING = 6  # tell from now on which connections are idle
    END = 7  # write what is left
    CLIENT_DONE = 8  # the client sends no more, and may read on


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame."""

    kind: Kind
    connection: int
    at_ns: Nanoseconds
    data: bytes


def frame_head(kind: Kind, connection: int, at_ns: Nanoseconds, size: int = 0) -> bytes:
    """Return what goes in front of ``size`` bytes."""
    return _HEAD.pack(kind, connection, at_ns, size)


def read_frames(stream: BufferedReader) -> Iterator[Frame]:
    """Yield frames until the stream ends; one that was cut off is dropped."""
    while len(head := stream.read(_HEAD.size)) == _HEAD.size:
        kind, connection, at_ns, size = _HEAD.unpack(head)
        data = stream.read(size) if size else b""
        if len(data) < size:
            return
        yield Frame(Kind(kind), connection, at_ns, data)
