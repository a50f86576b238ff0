"""A program on a terminal of its own: what it writes there, and keys that are pressed once something is shown."""

import os
import pty
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fcntl import ioctl
from pathlib import Path
from struct import pack
from termios import TIOCSWINSZ

import pytest

_LIMIT_S = 90.0


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What was written to the terminal, escape sequences and all, and how the program ended."""

    text: str
    code: int


def on_terminal(
    command: Sequence[str],
    *,
    press: Sequence[tuple[str, bytes | Callable[[], object]]] = (),
    environment: Mapping[str, str] | None = None,
    size: tuple[int, int] = (80, 24),
    folder: Path | None = None,
) -> Shown:
    """Run a program in a folder to its end; each of ``press`` is a text to wait for and what then is typed, or called.

    Skips the test where no pseudo terminal can be had.
    """
    try:
        controller, terminal = pty.openpty()
    except OSError as error:  # a container or chroot without /dev/pts
        pytest.skip(f"no pseudo terminal can be had here: {error}")
    ioctl(terminal, TIOCSWINSZ, pack("HHHH", size[1], size[0], 0, 0))
    process = subprocess.Popen(
        command,
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env={**os.environ, "TERM": "xterm-256color", **(environment or {})},
        cwd=folder,
        start_new_session=True,
    )
    os.close(terminal)
    shown, waiting, until = b"", list(press), time.monotonic() + _LIMIT_S
    try:
        while piece := _read(controller):
            shown += piece
            while waiting and waiting[0][0].encode() in shown:
                _, then = waiting.pop(0)
                if isinstance(then, bytes):
                    os.write(controller, then)
                else:
                    then()
            assert time.monotonic() < until, shown.decode(errors="replace")
        assert not waiting, shown.decode(errors="replace")
        return Shown(text=shown.decode(errors="replace"), code=process.wait(_LIMIT_S))
    finally:
        os.close(controller)
        process.kill()
        process.wait()


def _read(controller: int) -> bytes:
    try:
        return os.read(controller, 65_536)
    except OSError:  # Linux says so when the other side is closed
        return b""
