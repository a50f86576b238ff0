"""The spool's file form: frames of kind, length and checksum, so that a torn end is seen and dropped.

Numbers are in this machine's byte order: a spool is read where it was written.
"""

__all__ = ["SpooledWave", "begin_frame", "read_waves", "request_frame"]

import struct
import zlib
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, replace

from sparktune.io.store.codec import from_json, to_json
from sparktune.model.cell import Cell
from sparktune.model.raw import RawRequest
from sparktune.model.trial import Phase
from sparktune.units import Seconds

_HEAD = struct.Struct("=cQI")  # kind, bytes of payload, crc32 of payload
_REQUEST_HEAD = struct.Struct("=QQ")  # bytes of JSON, number of reads
_BEGIN = b"B"
_REQUEST = b"R"
_INT_BYTES = 8
_SEQUENCES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class SpooledWave:
    """A wave as far as it came; all fields but ``requests`` name it."""

    run_id: str
    cell: Cell
    index: int
    phase: Phase
    started_wall_s: Seconds
    requests: tuple[RawRequest, ...] = ()


def begin_frame(wave: SpooledWave) -> bytes:
    """Say which wave the requests after this frame belong to."""
    return _frame(_BEGIN, to_json(wave).encode())


def request_frame(request: RawRequest) -> bytes:
    """Hold one finished request: its numbers as JSON, its three sequences and its bytes as they are."""
    recording = request.recording
    bare = replace(recording, data=b"", read_ends=(), arrival_ns=(), woke_ns=())
    meta = to_json(replace(request, recording=bare)).encode()
    sequences = (recording.read_ends, recording.arrival_ns, recording.woke_ns)
    packed = b"".join(array("q", values).tobytes() for values in sequences)
    head = _REQUEST_HEAD.pack(len(meta), len(recording.read_ends))
    return _frame(_REQUEST, head + meta + packed + recording.data)


def read_waves(data: bytes) -> tuple[tuple[SpooledWave, ...], int]:
    """Return the waves of a spool, and how many bytes at its end are torn or damaged and were dropped."""
    waves: list[SpooledWave] = []
    good = 0
    for end, kind, payload in _frames(data):
        if kind == _BEGIN:
            waves.append(from_json(payload.decode(), SpooledWave))
        elif waves:
            waves[-1] = replace(waves[-1], requests=(*waves[-1].requests, _request(payload)))
        good = end
    return tuple(waves), len(data) - good


def _frame(kind: bytes, payload: bytes) -> bytes:
    return _HEAD.pack(kind, len(payload), zlib.crc32(payload)) + payload


def _frames(data: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield the end, kind and payload of each whole frame up to the first that is not."""
    at = 0
    while at + _HEAD.size <= len(data):
        kind, size, checksum = _HEAD.unpack_from(data, at)
        start, at = at + _HEAD.size, at + _HEAD.size + size
        payload = data[start:at]
        if len(payload) < size or zlib.crc32(payload) != checksum:
            return
        yield at, kind, payload


def _request(payload: bytes) -> RawRequest:
    meta_bytes, reads = _REQUEST_HEAD.unpack_from(payload)
    at = _REQUEST_HEAD.size
    request = from_json(payload[at : at + meta_bytes].decode(), RawRequest)
    at += meta_bytes
    width = reads * _INT_BYTES
    ends, arrivals, wakes = (
        array("q", payload[at + number * width : at + (number + 1) * width]) for number in range(_SEQUENCES)
    )
    data = payload[at + _SEQUENCES * width :]
    recording = replace(request.recording, data=data, read_ends=ends, arrival_ns=arrivals, woke_ns=wakes)
    return replace(request, recording=recording)
