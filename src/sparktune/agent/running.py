"""Run a program: bounded in time and output, never through a shell, its children ended with it."""

__all__ = ["finished", "run_program"]

import os
import selectors
import signal
import subprocess
import time
from contextlib import suppress

from sparktune.agent.results import NEEDS_ROOT, Result, absent, present, unreadable

_CHUNK = 65_536
_KILLED_S = 1.0
_TOO_LONG = "it did not end in time"
# ip and ethtool are not in the PATH that some systems give to users.
_SYSTEM_FOLDERS = "/usr/local/sbin:/usr/sbin:/sbin"
_DENIALS = ("permission denied", "operation not permitted", "must be root", "requires root", "you need to be root")


def run_program(argv: list[str], ends: float, most_bytes: int) -> Result:
    """Return what a program wrote and its exit code; ``ends`` is an instant of the monotonic clock."""
    return _Run(argv, ends, most_bytes).result()


def finished(stdout: str, stderr: str, code: int) -> Result:
    """Return an answer that is there; when the program was denied something, that root would get more."""
    value = {"stdout": stdout, "stderr": stderr, "code": code}
    denied = code != 0 and any(word in stderr.lower() for word in _DENIALS)
    return present(value, NEEDS_ROOT if denied else "")


class _Run:
    """One command in a session of its own, so that its children can be ended with it."""

    def __init__(self, argv: list[str], ends: float, most_bytes: int) -> None:
        self._argv, self._ends, self._most_bytes = argv, ends, most_bytes

    def result(self) -> Result:
        path = f"{os.environ.get('PATH') or os.defpath}:{_SYSTEM_FOLDERS}"
        environment = {**os.environ, "PATH": path, "LC_ALL": "C", "LANGUAGE": "", "SYSTEMD_COLORS": "0"}
        try:
            child = subprocess.Popen(
                self._argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                start_new_session=True,
            )
        except FileNotFoundError:
            return absent()
        except OSError as error:
            return unreadable(str(error.strerror))
        try:
            stdout, stderr, why = self._read(child)
        finally:
            if child.returncode is None:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(child.pid, signal.SIGKILL)
            for pipe in (child.stdout, child.stderr):
                if pipe is not None:
                    pipe.close()
        try:
            code = child.wait(_KILLED_S)
        except subprocess.TimeoutExpired:
            # A driver that hangs keeps the process that asked it; waiting for that would hang this one, too.
            return unreadable("it hangs in the kernel and cannot be ended")
        return unreadable(why) if why else finished(stdout, stderr, code)

    def _read(self, child: subprocess.Popen[bytes]) -> tuple[str, str, str]:
        pieces: dict[str, list[bytes]] = {"stdout": [], "stderr": []}
        size = 0
        with selectors.DefaultSelector() as selector:
            for name, pipe in (("stdout", child.stdout), ("stderr", child.stderr)):
                if pipe is not None:  # both are pipes, as asked for
                    selector.register(pipe, selectors.EVENT_READ, name)
            while selector.get_map():
                left = self._ends - time.monotonic()
                ready = selector.select(left) if left > 0 else []
                if not ready:
                    return "", "", _TOO_LONG
                for key, _events in ready:
                    piece = os.read(key.fd, _CHUNK)
                    if not piece:
                        selector.unregister(key.fileobj)
                    pieces[key.data].append(piece)
                    size += len(piece)
                if size > self._most_bytes:
                    return "", "", f"it wrote more than {self._most_bytes} bytes"
            # Both pipes are closed: it has ended, or is about to.
            with suppress(subprocess.TimeoutExpired):
                child.wait(max(self._ends - time.monotonic(), 0.0))
        out, err = (b"".join(pieces[name]).decode("utf-8", "replace") for name in ("stdout", "stderr"))
        return out, err, "" if child.returncode is not None else _TOO_LONG
