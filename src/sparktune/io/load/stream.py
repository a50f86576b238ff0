"""One request on its connection: what is still to send, what was received, and when."""

__all__ = ["Stream"]

import errno
import os
import socket
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import NoReturn

from sparktune.io.load.framing import CHUNKED_END, find_framing
from sparktune.io.load.stamps import ANCILLARY_BYTES, NO_STAMP, Receive
from sparktune.model.recording import End, Recording
from sparktune.units import Nanoseconds

# A read never takes more; more waiting bytes become several reads with a stamp each.
_READ_BYTES = 16_384


def _longs() -> "array[int]":
    return array("q")


def _never() -> bool:
    return False


def _unattached(*_: object) -> NoReturn:
    raise OSError(errno.ENOTCONN, os.strerror(errno.ENOTCONN))


@dataclass(slots=True, eq=False, kw_only=True)
class Stream:
    """The state of one request. ``end`` is None while it is under way; instants are monotonic, 0 for not yet.

    ``taken_ns`` is when the kernel last took bytes of the request, ``planned_ns`` when it was due, None for the wave's
    first sends. One thread uses it; others may look at
    ``received_bytes``, ``end`` and the length of ``ends``.
    """

    index: int
    payload: bytes
    sock: socket.socket | None = None
    kernel_stamps: bool = False
    connect_start_ns: Nanoseconds = 0
    connected_ns: Nanoseconds = 0
    send_start_ns: Nanoseconds = 0
    send_end_ns: Nanoseconds = 0
    taken_ns: Nanoseconds = 0
    planned_ns: Nanoseconds | None = None
    end_ns: Nanoseconds = 0
    end: End | None = None
    detail: str = ""
    data: bytearray = field(default_factory=bytearray)
    ends: "array[int]" = field(default_factory=_longs)
    woke: "array[int]" = field(default_factory=_longs)
    raw_stamps: bytearray = field(default_factory=bytearray)
    recording: Recording | None = None
    _to_send: memoryview = field(default_factory=lambda: memoryview(b""))
    _send_error: str = ""
    _send: Callable[[memoryview], int] = _unattached
    _receive: Receive = _unattached
    _is_over: Callable[[], bool] = _never

    @property
    def last_heard_ns(self) -> Nanoseconds:
        """The last time that bytes went either way, or the start of sending."""
        return max(self.send_start_ns, self.taken_ns, self.woke[-1] if self.woke else 0)

    @property
    def received_bytes(self) -> int:
        """How much has arrived; any thread may ask."""
        recording = self.recording
        return len(recording.data if recording else self.data)

    def attach(self, sock: socket.socket, receive: Receive, to_send: bytes, *, kernel_stamps: bool) -> None:
        """Take over an open connection: how it is read, and the request as it goes over it."""
        self.sock = sock
        self.kernel_stamps = kernel_stamps
        self._send = sock.send
        self._receive = receive
        self._to_send = memoryview(to_send)
        self._is_over = self._look_at_head

    def send(self, clock: Callable[[], Nanoseconds]) -> bool:
        """Hand the kernel what it takes; true when nothing is left to do about sending.

        A server may answer and close before it has read everything: then its answer is still to be read, and a
        failure to send is not the end.
        """
        self.send_start_ns = self.send_start_ns or clock()
        try:
            sent = self._send(self._to_send)
        except BlockingIOError:
            return False
        except OSError as error:
            self._send_error = f"the request could not be sent whole: {error.strerror}"
            return True
        self.taken_ns = clock()
        self._to_send = self._to_send[sent:]
        if not self._to_send:
            self.send_end_ns = self.taken_ns
        return not self._to_send

    def read(self, woke_ns: Nanoseconds) -> bool:
        """Keep one read and its instants; true when the stream is over. Runs once per packet: nothing is parsed."""
        try:
            received, ancillary, _, _ = self._receive(_READ_BYTES, ANCILLARY_BYTES)
        except BlockingIOError:
            return False
        except OSError as error:
            self.finish(End.RESET, woke_ns, self._send_error or error.strerror or str(error))
            return True
        if not received:
            broken = self._send_error and not self.data
            self.finish(End.RESET if broken else End.CLOSED, woke_ns, self._send_error)
            return True
        data = self.data
        data += received
        self.raw_stamps += ancillary[0][2] if ancillary else NO_STAMP
        self.woke.append(woke_ns)
        self.ends.append(len(data))
        if not self._is_over():
            return False
        self.finish(End.COMPLETE, woke_ns, self._send_error)
        return True

    def finish(self, end: End, at_ns: Nanoseconds, detail: str = "") -> None:
        """Say how it ended and let the connection go; what comes after the first end does not count."""
        if self.end is not None:
            return
        self.end = end
        self.end_ns = at_ns
        self.detail = detail
        self._is_over = _never
        self._send = self._receive = _unattached
        self.abandon()

    def abandon(self) -> None:
        """Let the connection go, whatever state it is in."""
        if self.sock is not None:
            self.sock.close()
            self.sock = None

    def _look_at_head(self) -> bool:
        framing = find_framing(self.data)
        if framing is None:
            return False
        if framing.chunked:
            self._is_over = partial(self.data.endswith, CHUNKED_END)
        elif framing.total is not None:
            self._is_over = partial(self._has, framing.total)
        else:
            self._is_over = _never
        return self._is_over()

    def _has(self, total: int) -> bool:
        return len(self.data) >= total
