"""One request without a network: what is kept of each read, and when it is over."""

import errno
import os
import socket
import ssl
from collections.abc import Iterator, Sequence

import pytest

from sparktune.io.load.stamps import NO_STAMP, Received
from sparktune.io.load.stream import Stream
from sparktune.model.recording import End

_CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
_LENGTH = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"
_STAMP = bytes(range(48))
_RESET = ConnectionResetError(errno.ECONNRESET, os.strerror(errno.ECONNRESET))
_BROKEN = BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


class _Wire:
    """A connection that gives scripted reads; sending takes scripted numbers of bytes or fails."""

    def __init__(self, reads: Sequence[bytes | OSError], sends: Sequence[int | OSError] = ()) -> None:
        self.reads = iter(reads)
        self.sends = iter(sends)
        self.closed = False

    def recvmsg(self, _size: int, _ancillary: int, /) -> Received:
        what = next(self.reads)
        if isinstance(what, OSError):
            raise what
        return what, [(socket.SOL_SOCKET, 65, _STAMP)] if what else [], 0, None

    def send(self, data: memoryview) -> int:
        what = next(self.sends)
        if isinstance(what, OSError):
            raise what
        return min(what, len(data))

    def close(self) -> None:
        self.closed = True


def _stream(wire: _Wire, payload: bytes = b"") -> Stream:
    stream = Stream(index=0, payload=payload)
    stream.attach(wire, wire.recvmsg, payload, kernel_stamps=True)
    return stream


def _ticks() -> Iterator[int]:
    return iter(range(100, 1000))


_CASES: dict[str, tuple[list[bytes | OSError], End | None]] = {
    "chunked, one read": ([_CHUNKED + b"1\r\na\r\n0\r\n\r\n"], End.COMPLETE),
    "chunked, empty body": ([_CHUNKED + b"0\r\n\r\n"], End.COMPLETE),
    "chunked, end in its own read": ([_CHUNKED, b"1\r\na\r\n", b"0\r\n\r\n"], End.COMPLETE),
    "chunked, end cut after the zero": ([_CHUNKED + b"1\r\na\r\n0", b"\r\n\r\n"], End.COMPLETE),
    "chunked, end byte by byte": ([_CHUNKED + b"1\r\na", *(bytes([byte]) for byte in b"\r\n0\r\n\r\n")], End.COMPLETE),
    "chunked, head byte by byte": ([*(bytes([byte]) for byte in _CHUNKED), b"0\r\n\r\n"], End.COMPLETE),
    "chunked, not over": ([_CHUNKED + b"1\r\na\r\n0\r\n"], None),
    "chunked, a zero at the end of data": ([_CHUNKED + b"7\r\nis 100\n\r\n"], None),
    "chunked, size with trailing zero": ([_CHUNKED + b"10\r\n"], None),
    "length reached": ([_LENGTH + b"ab", b"cd"], End.COMPLETE),
    "length not reached": ([_LENGTH + b"ab"], None),
    "length with too much": ([_LENGTH + b"abcdef"], End.COMPLETE),
    "the end of chunks means nothing without chunks": ([b"HTTP/1.1 200 OK\r\n\r\nx\r\n0\r\n\r\n"], None),
    "closed": ([_CHUNKED + b"1\r\na\r\n", b""], End.CLOSED),
    "closed without a byte": ([b""], End.CLOSED),
    "reset": ([_CHUNKED + b"1\r\na", _RESET], End.RESET),
    "nothing there after all": ([_CHUNKED, BlockingIOError(), b"0\r\n\r\n"], End.COMPLETE),
    "no TLS": ([ssl.SSLError(1, "wrong version number")], End.RESET),
}


@pytest.mark.parametrize(("reads", "end"), _CASES.values(), ids=_CASES)
def test_end(reads: list[bytes | OSError], end: End | None) -> None:
    wire = _Wire(reads)
    stream = _stream(wire)
    overs = [stream.read(at_ns) for at_ns in range(1, len(reads) + 1)]
    data = [read for read in reads if isinstance(read, bytes) and read]

    assert overs == [False] * (len(reads) - 1) + [end is not None]
    assert (stream.end, wire.closed) == (end, end is not None)
    assert bytes(stream.data) == b"".join(data)
    assert len(stream.ends) == len(stream.woke) == len(stream.raw_stamps) // 48 == len(data)
    assert stream.end_ns == (0 if end is None else len(reads))


def test_reads_are_kept_with_their_instants() -> None:
    stream = _stream(_Wire([b"abc", BlockingIOError(), b"de"]))
    for at_ns in (10, 20, 30):
        stream.read(at_ns)

    assert (list(stream.ends), list(stream.woke)) == ([3, 5], [10, 30])
    assert stream.raw_stamps == _STAMP + _STAMP


def test_read_without_a_stamp() -> None:
    stream = Stream(index=0, payload=b"")
    wire = _Wire([])
    stream.attach(wire, lambda _size, _more: (b"abc", [], 0, None), b"", kernel_stamps=False)
    stream.read(1)

    assert stream.raw_stamps == NO_STAMP


def test_sending_in_parts() -> None:
    """Start is before the first byte, end after the last one, whatever happened between."""
    stream = _stream(_Wire([], [4, BlockingIOError(), 3, 9]), b"0123456789")
    clock = _ticks()
    done = [stream.send(clock.__next__) for _ in range(4)]

    assert done == [False, False, False, True]
    assert (stream.send_start_ns, stream.send_end_ns, stream.last_heard_ns) == (100, 103, 103)


def test_answer_that_came_before_all_was_sent() -> None:
    """A server that refuses a prompt closes without reading it; what it said is more than a broken pipe."""
    answer = b"HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\n{}"
    stream = _stream(_Wire([answer[:20], answer[20:]], [4, _BROKEN]), b"0123456789")
    clock = _ticks()

    assert [stream.send(clock.__next__), stream.send(clock.__next__)] == [False, True]
    assert [stream.read(1), stream.read(2)] == [False, True]
    assert (stream.end, bytes(stream.data), stream.send_end_ns) == (End.COMPLETE, answer, 0)
    assert "Broken pipe" in stream.detail


@pytest.mark.parametrize(
    ("reads", "end"),
    [([b""], End.RESET), ([_RESET], End.RESET), ([b"HTTP/1.1 413 X\r\n\r\n", b""], End.CLOSED)],
)
def test_refused_while_sending(reads: list[bytes | OSError], end: End) -> None:
    stream = _stream(_Wire(reads, [_BROKEN]), b"0123456789")
    stream.send(_ticks().__next__)
    for at_ns, _ in enumerate(reads):
        stream.read(at_ns)

    assert (stream.end, stream.detail) == (end, "the request could not be sent whole: Broken pipe")


def test_finished_stream_reads_no_more() -> None:
    wire = _Wire([b"abc"])
    stream = _stream(wire)
    stream.finish(End.STOPPED, 5)

    assert stream.read(6) is True
    assert (stream.end, stream.end_ns, bytes(stream.data), wire.closed) == (End.STOPPED, 5, b"", True)
