"""``sparktune guard`` at a terminal: job control is the shell's, and its terminal is never taken from it."""

import os
import pty
import select
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # bash and its jobs get their turns when the machine has time for them

_STOP = b"\x1a"  # Ctrl-Z
# A process that starts no other: one that is stopped between vfork and exec does not tell its parent.
_WAITS = """\
import os, time
print("begun", flush=True)
while not os.path.exists("{go}"):
    time.sleep(0.05)
"""


class Shell:
    """An interactive shell in a terminal of its own."""

    def __init__(self) -> None:
        self.pid, self._terminal = pty.fork()
        if self.pid == 0:
            os.execvp("bash", ["bash", "--norc", "--noediting", "-i"])  # noqa: S606, S607 - as at a terminal

    def type(self, text: str | bytes) -> None:
        """Type a line, or keys."""
        os.write(self._terminal, text if isinstance(text, bytes) else f"{text}\n".encode())

    def expect(self, text: str) -> None:
        """Read what is shown until it has shown a text."""
        shown, until = "", time.monotonic() + 60
        while text not in shown:
            ready, _, _ = select.select([self._terminal], [], [], max(0.0, until - time.monotonic()))
            assert ready, shown
            try:
                shown += os.read(self._terminal, 4096).decode(errors="replace")
            except OSError:
                pytest.fail(f"the shell has ended: {shown!r}")

    def close(self) -> None:
        """Hang up."""
        os.close(self._terminal)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


@pytest.fixture
def shell() -> Iterator[Shell]:
    """A shell."""
    found = Shell()
    try:
        yield found
    finally:
        found.close()


@pytest.fixture
def guarded(host: Path) -> str:
    """The command line of a guard on a host with memory to spare; what it guards is to be added."""
    return f"{sys.executable} -m sparktune guard --nodes {host}/ --"


def test_sent_to_the_background_it_leaves_the_terminal_to_the_shell(shell: Shell, guarded: str, tmp_path: Path) -> None:
    """A shell that loses its terminal takes that for the end of its input, and logs its user out."""
    (tmp_path / "waits.py").write_text(_WAITS.format(go=tmp_path / "go"))
    shell.type(f"{guarded} {sys.executable} {tmp_path}/waits.py")
    shell.expect("begun")
    shell.type(_STOP)
    shell.expect("Stopped")
    shell.type("bg; echo ba''ck")
    shell.expect("back")
    shell.type(f"echo still h''ere; touch {tmp_path}/go")
    shell.expect("still here")
    shell.type("wait; echo aft''er")
    shell.expect("after")


def test_brought_back_from_the_background_the_command_reads_the_terminal(shell: Shell, guarded: str) -> None:
    shell.type(f"{guarded} sh -c 'echo be''gun; read line; echo go''t $line'")
    shell.expect("begun")
    shell.type(_STOP)
    shell.expect("Stopped")
    shell.type("bg; until jobs | grep Stopp''ed; do sleep 0.1; done")
    shell.expect("Stopped")  # it wants to read, as any job in the background that does
    shell.type("fg")
    shell.type("hello")
    shell.expect("got hello")
