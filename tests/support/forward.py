"""A port of this machine that leads to one in another network: ``forward.py FD ADDRESS PORT``, run in that network.

FD listens already, in this machine's own network; connections are made in the one that the program runs in.
"""

__all__ = ["forwarded"]

import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def forwarded(network: str, address: str, port: int) -> Iterator[int]:
    """Return a port here that leads to the address, as seen from a network namespace."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.set_inheritable(True)
        number = str(listening.fileno())
        command = ("nsenter", f"--net=/run/netns/{network}", sys.executable, __file__, number, address, str(port))
        child = subprocess.Popen(command, pass_fds=(listening.fileno(),))
        try:
            yield listening.getsockname()[1]
        finally:
            child.kill()
            child.wait()


def _copy(one: socket.socket, other: socket.socket) -> None:
    with suppress(OSError):
        while data := one.recv(65_536):
            other.sendall(data)
        other.shutdown(socket.SHUT_WR)


def _serve(here: socket.socket, address: str, port: int) -> None:
    with here, suppress(OSError), socket.create_connection((address, port)) as there:
        back = threading.Thread(target=_copy, args=(there, here))
        back.start()
        _copy(here, there)
        back.join()


def _main(number: int, address: str, port: int) -> None:
    listening = socket.socket(fileno=number)
    while True:
        here, _peer = listening.accept()
        threading.Thread(target=_serve, args=(here, address, port), daemon=True).start()


if __name__ == "__main__":
    _main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
