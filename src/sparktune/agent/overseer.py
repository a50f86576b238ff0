"""A process that starts a command, passes on what it says, and sees it end, whatever becomes of who asked for it.

It is a fork of the agent in a session of its own, and the command's session is another: neither the end of the agent,
nor that of ssh, nor a key pressed at a terminal reaches them. Commands of one turn (a service, say) wait for one
another, also for one whose link was lost: the turn is a name in the abstract namespace of unix(7), which the kernel
frees when its holder ends, however it ends. One that ends a service does not wait for one that is still starting it: it
asks the overseer of that one to end it.
"""

__all__ = ["Order", "oversee"]

import hashlib
import json
import os
import select
import signal
import socket
import struct
import subprocess
import time
from collections import deque
from contextlib import suppress
from typing import Any, NamedTuple, NoReturn

from sparktune.agent.refusal import BUSY, COMMAND

_CHUNK = 65_536
_LONGEST_LINE = 900  # characters: in UTF-8 and JSON it stays below PIPE_BUF, so that a line is written whole
_MOST_LINES = 5_000
_LAST_LINES = 200  # of what comes after these
_LISTENS_S = 1.0
_END_HEARD_S = 30.0
_ASKED_S = 10.0
_KILLED_S = 5.0
_CLOSING_S = 0.5  # what a command left running may hold its output open
_LOOK_S = 0.1
_TURN_LOOK_S = 0.1
_FOLDERS = "/usr/local/sbin:/usr/sbin:/sbin"


class Order(NamedTuple):
    """What is to be run, and whose turn it is ("" for nobody's: it waits for nothing).

    One that ``gives_way`` is ended when one that ``takes_over`` waits for the same turn.
    """

    argv: list[str]
    folder: str
    environment: dict[str, str]
    limit_s: float
    turn: str
    gives_way: bool = False
    takes_over: bool = False


def oversee(order: Order) -> tuple[int, int]:
    """Start the overseer; return its number, and a descriptor from which its answers come, line by line."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        _alone(order, writing)
    os.close(writing)
    return pid, reading


def _alone(order: Order, writing: int) -> NoReturn:
    try:
        os.setsid()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nowhere, number)
        voice = os.dup2(writing, 3, inheritable=False)
        os.closerange(4, os.sysconf("SC_OPEN_MAX") if hasattr(os, "sysconf") else 65_536)
        os.set_blocking(voice, False)
        _Overseer(order, _Voice(voice)).run()
    finally:
        os._exit(0)


class _Voice:
    """What the agent is told; when it does not listen any more, nothing waits for it."""

    def __init__(self, handle: int) -> None:
        self._handle, self._patience_s, self.missed = handle, _LISTENS_S, 0

    def say(self, answer: dict[str, Any], patience_s: float | None = None) -> None:
        """Write one answer, or count it as missed."""
        wait_s = self._patience_s if patience_s is None else patience_s
        try:
            if select.select([], [self._handle], [], wait_s)[1]:
                os.write(self._handle, json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
                self._patience_s = _LISTENS_S
                return
        except OSError:
            pass
        self._patience_s = 0.0
        self.missed += 1


class _Overseer:
    """One command from its start to its end."""

    def __init__(self, order: Order, voice: _Voice) -> None:
        self._order, self._voice = order, voice
        self._ends = time.monotonic() + order.limit_s
        self._lines, self._last = 0, deque[str](maxlen=_LAST_LINES)
        self._rest = b""
        self._turn: socket.socket | None = None  # it is held as long as this is open
        self._asked = False

    def run(self) -> None:
        signal.signal(signal.SIGTERM, self._on_term)
        holder = self._take_turn()
        if holder:
            self._refuse(BUSY, f"another command for the same service still runs here: {holder}")
            return
        try:
            child = self._start()
        except OSError as error:
            missing = isinstance(error, FileNotFoundError)
            self._refuse(COMMAND, f"there is no {self._order.argv[0]} here" if missing else str(error.strerror))
            return
        why = self._listen(child)
        for line in self._last:
            self._voice.say({"part": {"line": line}})
        missed = self._voice.missed + max(self._lines - _MOST_LINES - len(self._last), 0)
        code = child.returncode
        end = {"code": code if code is not None else -int(signal.SIGKILL), "why": why, "missed_lines": missed}
        self._voice.say({"ok": end}, _END_HEARD_S)

    def _on_term(self, _number: int, _frame: object) -> None:
        self._asked = self._order.gives_way

    def _refuse(self, kind: str, message: str) -> None:
        self._voice.say({"error": {"kind": kind, "message": message}}, _END_HEARD_S)

    def _take_turn(self) -> str:
        """Wait for the turn; return who has it when the time is over, "" when it is ours."""
        if not self._order.turn:
            return ""
        name = hashlib.sha256(self._order.turn.encode()).hexdigest()[:32]
        address = f"\0sparktune-run-{os.geteuid()}-{name}"
        turn = self._turn = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        while True:
            try:
                turn.bind(address)
            except OSError:
                pid = _holder(address)
                if time.monotonic() > self._ends:
                    return f"overseen by process {pid}" if pid else "nobody knows whose"
                if self._order.takes_over and pid:
                    with suppress(ProcessLookupError, PermissionError):
                        os.kill(pid, signal.SIGTERM)  # it decides whether it gives way
                time.sleep(_TURN_LOOK_S)
            else:
                turn.listen()
                return ""

    def _start(self) -> subprocess.Popen[bytes]:
        home = os.path.expanduser("~/.local/bin")
        own = f"{home}:" if os.geteuid() else ""  # where users install programs of theirs, and no login shell says so
        path = f"{own}{os.environ.get('PATH') or os.defpath}:{_FOLDERS}"
        given = {**os.environ, "LC_ALL": "C.UTF-8", "SYSTEMD_COLORS": "0", **self._order.environment}
        return subprocess.Popen(
            self._order.argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=self._order.folder,
            env={**given, "PATH": path},
            start_new_session=True,
        )

    def _listen(self, child: subprocess.Popen[bytes]) -> str:
        """Pass on what it says until it ends or is ended; return why it was ended, "" when it was not."""
        why, kill_at, closing = "", 0.0, 0.0
        open_ = True
        while open_ or child.returncode is None:
            now = time.monotonic()
            if child.poll() is None and (now > self._ends or self._asked) and not why:
                late = f"it did not end within {self._order.limit_s:g} s, and was ended"
                why = "it was ended by one that ends the service" if self._asked else late
                _signal(child.pid, signal.SIGTERM)
                kill_at = now + _ASKED_S
            if why and child.poll() is None and now > kill_at:
                _signal(child.pid, signal.SIGKILL)
                if now > kill_at + _KILLED_S:
                    return f"{why}, but hangs in the kernel"
            if child.returncode is not None:
                closing = closing or now
                if now > closing + _CLOSING_S:
                    break
            open_ = self._hear(child, open_=open_)
        self._line(b"")
        return why

    def _hear(self, child: subprocess.Popen[bytes], *, open_: bool) -> bool:
        """Take what has been said; tell whether more can come."""
        if not open_ or child.stdout is None:
            with suppress(subprocess.TimeoutExpired):
                child.wait(_LOOK_S)
            return False
        handle = child.stdout.fileno()
        if not select.select([handle], [], [], _LOOK_S)[0]:
            return True
        piece = os.read(handle, _CHUNK)
        *whole, self._rest = (self._rest + piece).split(b"\n")
        for line in whole:
            self._say(line)
        if len(self._rest) > _CHUNK:
            self._line(b"")
        return bool(piece)

    def _line(self, rest: bytes) -> None:
        if self._rest:
            self._say(self._rest)
        self._rest = rest

    def _say(self, line: bytes) -> None:
        # A progress bar overwrites itself: of that, what is seen in the end.
        text = line.decode("utf-8", "replace").rstrip("\r").rpartition("\r")[2]
        text = "".join(letter if letter.isprintable() else " " for letter in text[: 2 * _LONGEST_LINE])
        text = text[:_LONGEST_LINE].rstrip()
        self._lines += 1
        if self._lines > _MOST_LINES:
            self._last.append(text)
        else:
            self._voice.say({"part": {"line": text}})


def _holder(address: str) -> int:
    """Return the process that has the turn, 0 when it cannot be seen or has just gone."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
        asking.settimeout(_LOOK_S)
        try:
            asking.connect(address)
            return int(struct.unpack("3i", asking.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0])
        except OSError:
            return 0


def _signal(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
