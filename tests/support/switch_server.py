"""A user's script that switches a server: ``switch_server.py FOLDER PORT SLOTS [WORD ...]``; it ends when it serves."""

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path


def main(folder: Path, port: int, slots: str, words: list[str]) -> None:
    """End the server that the script started before, and start another one."""
    number = folder / "server.pid"
    with suppress(OSError, ValueError):
        os.killpg(int(number.read_text()), signal.SIGKILL)
    while _answers(port):
        time.sleep(0.02)
    (folder / "slots").write_text(slots)
    with (folder / "server.log").open("ab") as log:
        child = subprocess.Popen(
            [sys.executable, str(Path(__file__).parent / "arm_server.py"), str(port), "--slots", slots, *words],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    number.write_text(str(child.pid))
    while not _answers(port) and child.poll() is None:
        time.sleep(0.02)


def _answers(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:])
