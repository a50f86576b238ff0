"""From what a stream collected to its recording: instants on one clock, and no second copy of a wave in memory."""

import struct
import tracemalloc

from sparktune.io.load.clock import Clocks
from sparktune.io.load.record import record
from sparktune.io.load.stream import Stream
from sparktune.io.load.timebase import Timebase
from sparktune.model.recording import End, StampSource

_OFFSET_S = 1_700_000_000
_CLOCKS = Clocks(monotonic_ns=lambda: 0, wall_ns=lambda: _OFFSET_S * 1_000_000_000)
_CHUNK = b"x" * 220


class _Server:
    """Gives the same chunk with each read, stamped one microsecond after the one before."""

    def __init__(self, *, stamped: bool) -> None:
        self.stamped = stamped
        self.reads = 0

    def recvmsg(self, _size: int, _more: int, /) -> tuple[bytes, list[tuple[int, int, bytes]], int, object]:
        self.reads += 1
        stamp = struct.pack("=6q", _OFFSET_S, self.reads * 1000, 0, 0, 0, 0)
        return _CHUNK, [(1, 65, stamp)] if self.stamped else [], 0, None

    def send(self, data: memoryview) -> int:
        return len(data)

    def close(self) -> None:
        """Nothing to close."""


def _collected(reads: int, *, stamped: bool = True, kernel_stamps: bool = True) -> Stream:
    stream = Stream(index=3, payload=b"")
    server = _Server(stamped=stamped)
    stream.attach(server, server.recvmsg, b"", kernel_stamps=kernel_stamps)
    for place in range(reads):
        stream.read((place + 1) * 1000 + 50)
    stream.finish(End.CLOSED, reads * 1000 + 60, "why")
    return stream


def test_kernel_stamps_become_monotonic() -> None:
    stream = _collected(3)
    recording = record(stream, Timebase(_CLOCKS))

    assert (recording.source, recording.end, recording.detail) == (StampSource.KERNEL, End.CLOSED, "why")
    assert list(recording.arrival_ns) == [1000, 2000, 3000]
    assert list(recording.woke_ns) == [1050, 2050, 3050]
    assert list(recording.read_ends) == [220, 440, 660]
    assert recording.data == _CHUNK * 3
    assert stream.recording is recording
    assert stream.received_bytes == 660


def test_socket_without_stamps() -> None:
    recording = record(_collected(3, stamped=False, kernel_stamps=False), Timebase(_CLOCKS))

    assert (recording.source, list(recording.arrival_ns)) == (StampSource.USER, [1050, 2050, 3050])


def test_stamps_that_were_asked_for_but_did_not_come() -> None:
    """The kernel starts stamping a moment after it is asked to: what came before says so."""
    recording = record(_collected(3, stamped=False), Timebase(_CLOCKS))

    assert (recording.source, list(recording.arrival_ns)) == (StampSource.USER, [1050, 2050, 3050])


def test_never_connected() -> None:
    stream = Stream(index=0, payload=b"")
    stream.finish(End.CONNECT, 9, "Connection refused")
    recording = record(stream, Timebase(_CLOCKS))

    assert (recording.data, recording.end, recording.connected_ns) == (b"", End.CONNECT, 0)


def test_memory_per_read() -> None:
    """A wave may bring a million reads: 64 bytes for each beside its own, 24 once it is a recording."""
    reads = 20_000
    data = reads * len(_CHUNK)
    tracemalloc.start()
    try:
        stream = _collected(reads)
        collected, _ = tracemalloc.get_traced_memory()
        recording = record(stream, Timebase(_CLOCKS))
        recorded, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert len(recording.read_ends) == reads
    assert collected < 1.2 * (data + 64 * reads)
    assert recorded < 1.2 * (data + 24 * reads)
    assert peak < collected + data + 200 * reads
