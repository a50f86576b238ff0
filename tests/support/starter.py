"""Start ``python -m sparktune`` many times quickly: a process that has read the program once forks for each start.

What runs is the program as it is, in a process of its own with its own arguments, folder, environment and exit code;
only the reading of its files, half a second each time, is not repeated. What an interpreter decides when it starts
(locale, PYTHON* variables) cannot differ from one start to the next: such a start has to be an ordinary one.
"""

__all__ = ["Starter"]

import atexit
import contextlib
import importlib
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from pathlib import Path
from typing import IO, NoReturn

_PROGRAM = "sparktune"
_MOST_BYTES = 1024 * 1024
_AT_START = ("PYTHON", "LC_", "LANG", "FORCE_COLOR", "PY_COLORS", "GITHUB_ACTIONS", "TERMINAL_WIDTH", "TYPER", "_TYPER")


class Starter:
    """The process that forks. It ends with the one that made it."""

    def __init__(self) -> None:
        """Start it; it reads the whole program before it answers."""
        self._settled = _decided_at_start()
        self._ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _MOST_BYTES)
        command = [sys.executable, __file__, str(theirs.fileno())]
        self._process = subprocess.Popen(command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
        theirs.close()
        atexit.register(self._close)

    def _close(self) -> None:
        self._ours.close()
        self._process.wait()

    def fits(self) -> bool:
        """Tell whether a start now would be what an ordinary one is."""
        return _decided_at_start() == self._settled and _has_folder()

    def run(self, arguments: tuple[str, ...], limit_s: float) -> tuple[int, bytes, bytes]:
        """Run to the end; return exit code (negative: by that signal), output and errors.

        Raises TimeoutExpired when it lasted longer; it is killed then.
        """
        message = json.dumps([arguments, str(Path.cwd()), dict(os.environ)]).encode()
        told, tell = os.pipe()
        with (
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
            os.fdopen(told, "rb", buffering=0) as end,
        ):
            try:
                socket.send_fds(self._ours, [message], [out.fileno(), err.fileno(), tell])
            finally:
                os.close(tell)
            pid = int(_word(end, None))
            code = _word(end, limit_s)
            if not code:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                raise subprocess.TimeoutExpired([_PROGRAM, *arguments], limit_s)
            out.seek(0)
            err.seek(0)
            return int(code), out.read(), err.read()


def _has_folder() -> bool:
    try:
        Path.cwd()
    except FileNotFoundError:
        return False
    return True


def _decided_at_start() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name.startswith(_AT_START)}


def _word(file: IO[bytes], limit_s: float | None) -> str:
    ready, _, _ = select.select([file], [], [], limit_s)
    return file.read(20).decode().strip() if ready else ""


def _serve(ours: socket.socket) -> NoReturn:
    """Fork for every message, until the other end is closed."""
    package = importlib.import_module(_PROGRAM)
    for module in pkgutil.walk_packages(package.__path__, f"{_PROGRAM}."):
        if not module.name.endswith("__main__"):
            with contextlib.suppress(ImportError):  # of an extra that is not installed
                importlib.import_module(module.name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those that wait
    while True:
        message, handles, _, _ = socket.recv_fds(ours, _MOST_BYTES, 3)
        if not message:
            os._exit(0)
        if os.fork() == 0:
            ours.close()
            _wait_for_one(message, *handles)
        for handle in handles:
            os.close(handle)


def _wait_for_one(message: bytes, out: int, err: int, tell: int) -> NoReturn:
    """Fork once more, tell the number of the process, and how it ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    pid = os.fork()
    if pid == 0:
        os.close(tell)
        os.dup2(out, 1)
        os.dup2(err, 2)
        os.closerange(3, max(out, err) + 1)
        _start(*json.loads(message))
    os.write(tell, f"{pid:<20}".encode())
    _, status = os.waitpid(pid, 0)
    os.write(tell, f"{os.waitstatus_to_exitcode(status):<20}".encode())
    os._exit(0)


def _start(arguments: list[str], folder: str, environment: dict[str, str]) -> NoReturn:
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = [_PROGRAM, *arguments]
    code: object = 0
    try:
        runpy.run_module(_PROGRAM, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        code = end.code
    except BaseException:  # noqa: BLE001 - as an interpreter does
        traceback.print_exc()
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code if isinstance(code, int) else 0 if code is None else 1)


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
