"""One program that was started for an arm: in a session of its own, with a mark in its environment, and a log.

The mark, a word that nobody can guess, is remembered before the start and inherited by every child: so a program is
found again after a crash of ours, whatever it forked and however early the crash came.
"""

__all__ = ["MARK", "Start", "Started", "last_lines", "start"]

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sparktune.errors import ArmFailed
from sparktune.io.launching.log_pump import paths_of
from sparktune.io.launching.proc import look_at
from sparktune.io.launching.words import SHORTEST_SECRET
from sparktune.units import Bytes, Seconds

MARK = "SPARKTUNE_VISIT"
_PUMP = "sparktune.io.launching.log_pump"
_LAST_LINES = 8
_LAST_BYTES: Bytes = 8192
_SAID_S: Seconds = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """What is started; ``argv`` and ``environment`` are whole and may hold ``secrets``, ``shown`` does not."""

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    folder: Path
    mark: str
    log: Path
    shown: str
    secrets: tuple[str, ...] = ()


class Started:
    """A running program. Its end is seen without reaping it, so that its number stays its own until ``reap``."""

    def __init__(self, what: Start, child: subprocess.Popen[bytes], pump: subprocess.Popen[bytes]) -> None:
        """Take over both processes."""
        self.what = what
        self.pid = child.pid
        seen = look_at(child.pid)
        self.start_ticks = seen.start_ticks if seen else 0
        self._child, self._pump = child, pump
        self._code: int | None = None

    @property
    def code(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""
        if self._code is None and self._child.returncode is None:
            result = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if result is not None:
                exited = result.si_code == os.CLD_EXITED
                self._code = result.si_status if exited else -result.si_status
        return self._code

    @property
    def ended(self) -> str:
        """How it has ended, with its last lines; "" while it runs."""
        code = self.code
        if code is None:
            return ""
        self._let_pump_end()
        how = f"exit code {code}" if code >= 0 else f"signal {-code}"
        how += " (an arm's command has to stay in the foreground)" if code == 0 else ""
        said = last_lines(self.what.log)
        return f"it ended with {how}" + (f"; it said last:\n{said}" if said else "; it said nothing")

    def reap(self) -> None:
        """Let go of a program that has ended, and of its log's writer, which ends with the last one that writes."""
        self._child.wait()
        self._let_pump_end()
        if self._pump.poll() is None:
            self._pump.returncode = 0  # a program that was to stay running still writes; no child of ours to wait for

    def _let_pump_end(self) -> None:
        try:
            self._pump.wait(_SAID_S)
        except subprocess.TimeoutExpired:
            return


def _start_pump(log: Path, reading: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - our own program by our own interpreter, no shell
        [sys.executable, "-m", _PUMP, str(log)],
        stdin=reading,
        stdout=subprocess.DEVNULL,  # it may outlive this program, and must not keep its pipes open
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def start(what: Start) -> Started:
    """Start a program and the writer of its log. Raises ArmFailed when it cannot be started."""
    what.log.parent.mkdir(parents=True, exist_ok=True)
    for path in paths_of(what.log):
        path.unlink(missing_ok=True)
    reading, writing = os.pipe()
    try:
        pump = _start_pump(what.log, reading)
        try:
            os.write(writing, json.dumps(_lines(what.secrets)).encode() + b"\n")
            child = subprocess.Popen(  # noqa: S603 - the user's own command, no shell
                what.argv,
                stdin=subprocess.DEVNULL,
                stdout=writing,
                stderr=writing,
                cwd=what.folder,
                env={**what.environment, MARK: what.mark},
                start_new_session=True,
            )
        except OSError as error:
            os.close(writing)
            writing = -1
            pump.wait()
            raise _not_started(what, error) from None
    finally:
        os.close(reading)
        if writing >= 0:
            os.close(writing)
    return Started(what, child, pump)


def last_lines(log: Path) -> str:
    """Return the last lines of a log, "" when it has none."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - _LAST_BYTES))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return ""
    return "\n".join(line.rstrip() for line in text.splitlines()[-_LAST_LINES:]).strip()


def _lines(secrets: Iterable[str]) -> list[str]:
    """Return every secret, and each of its lines: a log is written line by line."""
    return [text for secret in secrets for text in (secret, *secret.splitlines()) if len(text) >= SHORTEST_SECRET]


def _not_started(what: Start, error: OSError) -> ArmFailed:
    if isinstance(error, NotADirectoryError | FileNotFoundError) and not what.folder.is_dir():
        return ArmFailed(f"the folder {what.folder} is not there", hint="folder: is where the command starts")
    message = f"{what.shown} cannot be started: {error.strerror or error}"
    return ArmFailed(message, hint="its first word is a program: a path, or a name in PATH")
