"""What the stopwatch keeps of one request: bytes and instants, nothing understood yet."""

__all__ = ["End", "Recording", "StampSource", "send_skew_ns"]

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from sparktune.units import Nanoseconds


class End(Enum):
    """Why reading stopped. Says nothing about success: that is for the decoder."""

    CLOSED = "closed"  # the server closed the connection
    COMPLETE = "complete"  # the HTTP body ended on a connection that stayed open
    CONNECT = "connect"  # never connected: refused, unreachable, timed out
    TLS = "tls"  # connected, but the TLS handshake failed
    RESET = "reset"  # the connection broke
    STALL = "stall"  # nothing arrived for the stall limit
    TIMEOUT = "timeout"  # the request took longer than its limit
    STOPPED = "stopped"  # we stopped it: Ctrl-C, SIGTERM, a guard


class StampSource(Enum):
    """Where an arrival instant comes from."""

    KERNEL = "kernel"  # SO_TIMESTAMPING, software RX: when the packet entered the stack
    USER = "user"  # read in this process after it woke up; late by the process's own delay


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """One request as it went over the wire. All instants are CLOCK_MONOTONIC nanoseconds of this host.

    ``data`` holds every byte received, in order; read ``i`` ended at byte offset ``read_ends[i]``, arrived at
    ``arrival_ns[i]`` (see ``source``) and was seen by this process at ``woke_ns[i]``. Instants of things that did not
    happen are 0 (``connected_ns`` when the connection failed). ``detail`` is the operating system's own text.
    ``planned_ns`` is when the request was due, None for one that belongs to the wave's first sends.
    """

    connect_start_ns: Nanoseconds
    connected_ns: Nanoseconds
    send_start_ns: Nanoseconds
    send_end_ns: Nanoseconds
    end_ns: Nanoseconds
    end: End
    source: StampSource
    data: bytes
    read_ends: Sequence[int]
    arrival_ns: Sequence[Nanoseconds]
    woke_ns: Sequence[Nanoseconds]
    detail: str = ""
    planned_ns: Nanoseconds | None = None

    def __post_init__(self) -> None:
        """The three sequences describe the same reads, and the reads cover the data."""
        if not len(self.read_ends) == len(self.arrival_ns) == len(self.woke_ns):
            message = "read_ends, arrival_ns and woke_ns differ in length"
            raise ValueError(message)
        if (self.read_ends[-1] if self.read_ends else 0) != len(self.data):
            message = f"reads end at {self.read_ends[-1:]} but {len(self.data)} bytes are kept"
            raise ValueError(message)


def send_skew_ns(recordings: Sequence[Recording]) -> Nanoseconds:
    """Return how far the sends of a wave were from its plan; 0 when nothing was sent.

    That is the time from the first to the last of the sends that were to be simultaneous, or how late the latest of
    the others was, whichever is more.
    """
    sent = [recording for recording in recordings if recording.send_start_ns]
    first = [recording.send_start_ns for recording in sent if recording.planned_ns is None]
    late = [recording.send_start_ns - recording.planned_ns for recording in sent if recording.planned_ns is not None]
    return max([0, *late, max(first) - min(first) if first else 0])
