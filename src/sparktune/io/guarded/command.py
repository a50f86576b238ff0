"""A command that runs beside the guards, in a process group of its own: all of it can be ended at once.

Sources: tcsetpgrp(3), credentials(7): who reads a terminal from a group that is not in its foreground is stopped, so
the command's group is put there, as a shell does, and Ctrl-C and Ctrl-Z reach it and not this program. The terminal is
passed on only while it is ours: a shell that has sent us to the background (``bg``) reads from it itself, and would
take its loss for the end of its input.
"""

__all__ = ["Command", "start_command"]

import asyncio
import os
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress

from sparktune.errors import UsageError
from sparktune.io.time_limit import time_limit
from sparktune.units import Seconds

_STDIN = 0


class Command:
    """A running command. It is reaped only by ``leave``: until then its number, and that of its group, are its own."""

    def __init__(self, argv: Sequence[str], child: subprocess.Popen[bytes], *, foreground: bool) -> None:
        """Take over a child that leads a process group."""
        self.argv, self.pid = tuple(argv), child.pid
        self._child, self._foreground = child, foreground
        self._loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[int] = self._loop.create_future()
        if foreground:
            signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # so that this program may write, and take the terminal back
            self._pass_terminal(os.getpgrp(), self.pid)
            self._loop.add_signal_handler(signal.SIGCONT, self._go_on)  # by fg, also when nothing was stopped before
        threading.Thread(target=self._wait, daemon=True).start()

    @property
    def code(self) -> int | None:
        """Its exit code, negative for a signal; None while it runs."""
        return self._ended.result() if self._ended.done() else None

    async def ended(self) -> int:
        """Wait for its end; return its exit code, negative for a signal."""
        return await asyncio.shield(self._ended)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to its process group."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)

    async def end(self, grace_s: Seconds) -> None:
        """Ask all of the group to end (SIGTERM), and kill what has not after ``grace_s`` (SIGKILL)."""
        self.signal(signal.SIGTERM)
        self.signal(signal.SIGCONT)  # one that is stopped hears nothing before
        with suppress(TimeoutError):
            async with time_limit(grace_s):
                await self.ended()
        self.signal(signal.SIGKILL)
        await self.ended()

    def leave(self) -> None:
        """Take the terminal back, and let go of the command; one that still runs is killed with its group."""
        if self.code is None:
            self.signal(signal.SIGKILL)
        if self._foreground:
            self._loop.remove_signal_handler(signal.SIGCONT)
            self._pass_terminal(self.pid, os.getpgrp())
        self._child.poll()

    def _wait(self) -> None:
        while True:
            seen = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WSTOPPED | os.WNOWAIT)
            if seen is None:
                continue
            if seen.si_code == os.CLD_STOPPED:
                os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WNOHANG)
                reached = seen.si_status in {signal.SIGTTIN, signal.SIGTTOU}
                self._loop.call_soon_threadsafe(self._reached if reached else self._stop_too)
                continue
            code = seen.si_status if seen.si_code == os.CLD_EXITED else -seen.si_status
            self._loop.call_soon_threadsafe(self._ended.set_result, code)
            return

    def _stop_too(self) -> None:
        """Stop as the command was (Ctrl-Z), and go on with it: the shell knows this program only."""
        if not self._foreground:
            return
        self._pass_terminal(self.pid, os.getpgrp())
        os.kill(os.getpid(), signal.SIGSTOP)
        self._go_on()

    def _reached(self) -> None:
        """Let the command have the terminal, for which it may have reached early; in the background stop with it."""
        if self._holder() in {os.getpgrp(), self.pid}:
            self._go_on()
        else:
            self._stop_too()

    def _go_on(self) -> None:
        """Let the command go on, in the foreground when that is ours."""
        if self._foreground:
            self._pass_terminal(os.getpgrp(), self.pid)
            self.signal(signal.SIGCONT)

    def _pass_terminal(self, old: int, new: int) -> None:
        if self._holder() == old:
            with suppress(OSError):
                os.tcsetpgrp(_STDIN, new)

    def _holder(self) -> int | None:
        """Return the process group in the foreground of the terminal."""
        try:
            return os.tcgetpgrp(_STDIN)
        except OSError:
            return None


def start_command(argv: Sequence[str], environment: Mapping[str, str], *, to_stderr: bool) -> Command:
    """Start a command with this program's stdin, stdout and stderr; ``to_stderr``: its stdout goes to our stderr.

    Raises UsageError when it cannot be started.
    """
    foreground = sys.stdin.isatty() and _owns_terminal()
    try:
        child = subprocess.Popen(  # noqa: S603 - the user's own command, no shell
            argv,
            env=dict(environment),
            stdout=sys.stderr.fileno() if to_stderr else None,
            process_group=0,
        )
    except OSError as error:
        message = f"{shlex.quote(argv[0])} cannot be started: {error.strerror or error}"
        raise UsageError(
            message, hint="what stands behind -- is a program and its arguments, without a shell"
        ) from None
    return Command(argv, child, foreground=foreground)


def _owns_terminal() -> bool:
    try:
        return os.tcgetpgrp(_STDIN) == os.getpgrp()
    except OSError:
        return False
