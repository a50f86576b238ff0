"""Who listens where, from the kernel's tables. Pure. Source: proc_net(5): local address, state (0A listens), inode."""

__all__ = ["TABLES", "listening_sockets"]

from typing import Final

TABLES: Final = ("tcp", "tcp6")
_ADDRESS, _STATE, _INODE = 1, 3, 9
_LISTENS: Final = "0A"


def listening_sockets(table: str) -> dict[str, int]:
    """Return the port of each listening socket, by what a link in ``/proc/PID/fd`` says of it."""
    lines = [line.split() for line in table.splitlines()[1:]]
    return {
        f"socket:[{fields[_INODE]}]": int(fields[_ADDRESS].rpartition(":")[2], 16)
        for fields in lines
        if len(fields) > _INODE and fields[_STATE] == _LISTENS
    }
