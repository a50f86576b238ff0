"""The control message as the kernel lays it out: three pairs of 64-bit seconds and nanoseconds."""

import socket
import struct

from sparktune.io.load.stamps import ANCILLARY_BYTES, NO_STAMP, STAMP_BYTES, ask_for_stamps, unpack_stamps


def _message(seconds: int, nanoseconds: int) -> bytes:
    return struct.pack("=6q", seconds, nanoseconds, 0, 0, 0, 0)


def test_layout() -> None:
    assert (len(_message(1, 2)), len(NO_STAMP), ANCILLARY_BYTES >= STAMP_BYTES + 12) == (STAMP_BYTES, STAMP_BYTES, True)


def test_unpack() -> None:
    raw = _message(1_700_000_000, 999_999_999) + NO_STAMP + _message(1_700_000_001, 0)

    assert unpack_stamps(raw) == [1_700_000_000_999_999_999, None, 1_700_000_001_000_000_000]


def test_after_2038() -> None:
    """The older form of this message ends in 2038; the one that is asked for does not."""
    assert unpack_stamps(_message(2**31 + 1, 5)) == [(2**31 + 1) * 1_000_000_000 + 5]


def test_nothing() -> None:
    assert list(unpack_stamps(b"")) == []


def test_socket_that_cannot() -> None:
    """A kernel without the option must lead to the fallback, not to a failure."""
    ours, other = socket.socketpair()
    ours.close()
    other.close()

    assert ask_for_stamps(ours) is False
