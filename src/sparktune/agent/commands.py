"""Run the read-only commands that the node's own list names: bounded in time and in output, never through a shell."""

__all__ = ["Commands"]

import os
import selectors
import signal
import subprocess
import time
from contextlib import suppress
from typing import Any

from sparktune.agent.allowed import is_allowed
from sparktune.agent.files import read_file
from sparktune.agent.protocol import LONGEST_COMMAND_S, MOST_READ_CHARACTERS, command_slug
from sparktune.agent.results import NEEDS_ROOT, Result, absent, present, unreadable
from sparktune.agent.tree import Tree

_CHUNK = 65_536
_KILLED_S = 1.0
_REFUSED = "it is not among the commands that may be run"
_TOO_LONG = "it did not end in time"
# ip and ethtool are not in the PATH that some systems give to users.
_SYSTEM_FOLDERS = "/usr/local/sbin:/usr/sbin:/sbin"
_NOT_ALLOWED = "it is not among the commands that may be run"
_DENIALS = ("permission denied", "operation not permitted", "must be root", "requires root", "you need to be root")


class Commands:
    """Commands of a node, or the kept output of a captured tree."""

    def __init__(self, tree: Tree) -> None:
        """Take the tree; its root decides which of the two it is."""
        self._tree = tree

    def run(self, ask: dict[str, Any]) -> Result:
        """Answer ``argv`` within ``limit_s`` and ``most_bytes``, with the words that ``arguments_from`` prints."""
        argv, source = [str(word) for word in ask["argv"]], [str(word) for word in ask["arguments_from"]]
        most_bytes = min(int(ask["most_bytes"]), MOST_READ_CHARACTERS)
        if self._tree.root:
            return _kept(self._tree, argv, most_bytes) if is_allowed(argv) else unreadable(_REFUSED)
        ends = time.monotonic() + min(float(ask["limit_s"]), LONGEST_COMMAND_S)
        if not source:
            return _run(argv, ends, most_bytes)
        words = _run(source, ends, most_bytes)
        if words["state"] != "present" or words["value"]["code"] != 0:
            return words
        more = words["value"]["stdout"].split()
        if any(word.startswith("-") for word in more):
            return unreadable(_REFUSED)  # an option that nobody asked for
        return _run([*argv, *more], ends, most_bytes) if more else _finished("", "", 0)


def _kept(tree: Tree, argv: list[str], most_bytes: int) -> Result:
    slug = command_slug(argv)
    parts = {
        ending: read_file(tree, {"path": f"/commands/{slug}.{ending}", "most_bytes": most_bytes})
        for ending in ("txt", "stderr", "code")
    }
    if parts["txt"]["state"] == "absent" and parts["code"]["state"] == "absent":
        return absent()
    for part in parts.values():
        if part["state"] == "unreadable":
            return part
    texts = {ending: str(part.get("value", "")) for ending, part in parts.items()}
    try:
        code = int(texts["code"].strip() or "0")
    except ValueError:
        return unreadable(f"/commands/{slug}.code holds no number")
    return _finished(texts["txt"], texts["stderr"], code)


def _run(argv: list[str], ends: float, most_bytes: int) -> Result:
    return _Run(argv, ends, most_bytes).result() if is_allowed(argv) else unreadable(_REFUSED)


def _finished(stdout: str, stderr: str, code: int) -> Result:
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
        return unreadable(why) if why else _finished(stdout, stderr, code)

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
