"""Ports for servers that are started later: until then nobody else is given them.

A port that was bound to be found free, and closed again, is the kernel's to give to whoever next wants any: to a server
of another worker's test, or to the near end of a connection. Hence ports below those that it gives out by itself
(ip(7), ``ip_local_port_range``), and a stretch of them for each process of tests. Whose a stretch is says the name of
an abstract socket (unix(7)), which goes with the process and, as ports do, belongs to a network namespace.
"""

__all__ = ["free_port"]

import itertools
import socket
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_FIRST, _LAST = 20_000, 32_767  # Linux gives out those from 32768 on, unless somebody has told it otherwise
_STRETCH = 128
_GIVEN_OUT = Path("/proc/sys/net/ipv4/ip_local_port_range")


def free_port() -> int:
    """Return a port of this machine that nothing listens on, and that nobody else is given."""
    for port in itertools.islice(_own_ports(), _STRETCH):
        try:
            with socket.create_server(("127.0.0.1", port)):
                return port
        except OSError:
            continue
    message = f"all of {_STRETCH} ports are taken"
    raise OSError(message)


@cache
def _own_ports() -> Iterator[int]:
    """Return the ports of this process, round and round: one that a test has left is the last to come again."""
    for begin in range(_FIRST, _end() - _STRETCH + 1, _STRETCH):
        holder = socket.socket(socket.AF_UNIX)
        try:
            holder.bind(f"\0sparktune-tests-ports-{begin}")
        except OSError:
            holder.close()
            continue
        holder.detach()  # open for as long as this process lives
        return itertools.cycle(range(begin, begin + _STRETCH))
    message = "as many processes of tests run already as there are stretches of ports"
    raise OSError(message)


def _end() -> int:
    """Return the first port that is too high; where the kernel gives out all of ours, they are still of one process."""
    given_out_from = int(_GIVEN_OUT.read_text(encoding="ascii").split()[0])
    return min(given_out_from, _LAST + 1) if given_out_from >= _FIRST + 16 * _STRETCH else _LAST + 1
