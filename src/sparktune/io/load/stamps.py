"""Kernel receive timestamps of a TCP socket.

Source: Documentation/networking/timestamping.rst of Linux (SO_TIMESTAMPING_NEW, struct scm_timestamping64), the numbers
from include/uapi/asm-generic/socket.h and include/uapi/linux/net_tstamp.h. The control message holds three pairs of
64-bit seconds and nanoseconds on every architecture; the first pair is the software stamp, in CLOCK_REALTIME, of the
packet that carried the last byte of the read: when several packets wait, the stamp is that of the newest.

The kernel stamps nothing while nobody asks; when somebody does it begins a moment later, in a worker of its own
(net/core/dev.c, net_enable_timestamp), and on a busy machine the first packet of a wave has passed by then. So one
socket goes on asking for as long as this process lives.
"""

__all__ = ["ANCILLARY_BYTES", "NO_STAMP", "STAMP_BYTES", "Receive", "Received", "ask_for_stamps", "unpack_stamps"]

import atexit
import socket
from array import array
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache

from sparktune.units import NS_PER_S, Nanoseconds

_SO_TIMESTAMPING_NEW = 65  # Linux 5.1; not the older 37, whose layout is the platform's time_t
_RX_SOFTWARE = 1 << 3  # stamp packets when they enter the stack
_SOFTWARE = 1 << 4  # report those stamps

Received = tuple[bytes, list[tuple[int, int, bytes]], int, object]
"""What ``socket.recvmsg`` returns: bytes, control messages, flags, address."""
Receive = Callable[[int, int], Received]

STAMP_BYTES = 48
ANCILLARY_BYTES = socket.CMSG_SPACE(STAMP_BYTES)
NO_STAMP = bytes(STAMP_BYTES)
"""What is kept for a read without a control message; the kernel never reports second 0."""


def ask_for_stamps(sock: socket.socket) -> bool:
    """Ask the kernel to stamp what the socket receives; false when it cannot."""
    try:
        sock.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPING_NEW, _RX_SOFTWARE | _SOFTWARE)
    except OSError:
        return False
    with suppress(OSError):  # without it stamps are as good, but for the first packets
        _keep_stamping()
    return True


@cache
def _keep_stamping() -> socket.socket:
    asking = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    atexit.register(asking.close)
    asking.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPING_NEW, _RX_SOFTWARE | _SOFTWARE)
    return asking


def unpack_stamps(raw: bytes | bytearray) -> Sequence[Nanoseconds | None]:
    """Return the wall-clock nanoseconds of each control message in ``raw``; None where there was none."""
    words = array("q", bytes(raw))
    seconds, nanoseconds = words[0::6], words[1::6]
    return [second * NS_PER_S + rest if second else None for second, rest in zip(seconds, nanoseconds, strict=True)]
