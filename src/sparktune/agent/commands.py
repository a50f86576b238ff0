"""Run the read-only commands that the node's own list names: bounded in time and in output, never through a shell."""

__all__ = ["Commands", "is_allowed"]

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from sparktune.agent.protocol import COMMANDS, LONGEST_COMMAND_S, MOST_READ_CHARACTERS, Command, command_slug
from sparktune.agent.results import NEEDS_ROOT, Result, absent, present, unreadable
from sparktune.agent.tree import Tree

_CHUNK = 65_536
# ip and ethtool are not in the PATH that some systems give to users.
_SYSTEM_FOLDERS = "/usr/local/sbin:/usr/sbin:/sbin"
_DENIALS = ("permission denied", "operation not permitted", "must be root", "requires root", "you need to be root")


class Commands:
    """Commands of a node, or the kept output of a captured tree."""

    def __init__(self, tree: Tree) -> None:
        """Take the tree; its root decides which of the two it is."""
        self._kept = Path(tree.root) / "commands" if tree.root else None

    def run(self, ask: dict[str, Any]) -> Result:
        """Answer ``argv`` within ``limit_s`` and ``most_bytes``."""
        argv = [str(word) for word in ask["argv"]]
        if not is_allowed(argv):
            return unreadable("it is not among the commands that may be run")
        most_bytes = min(int(ask["most_bytes"]), MOST_READ_CHARACTERS)
        if self._kept is not None:
            return _kept_output(self._kept / command_slug(argv), most_bytes)
        return _Run(argv, min(float(ask["limit_s"]), LONGEST_COMMAND_S), most_bytes).result()


def is_allowed(argv: Sequence[str]) -> bool:
    """Tell whether a command is on the list, with only the options that its entry has."""
    return any(_fits(entry, argv) for entry in COMMANDS)


def _fits(entry: Command, argv: Sequence[str]) -> bool:
    words = [word for word in argv if not word.startswith("-")]
    if not argv or argv[0] != entry.words[0] or tuple(words[: len(entry.words)]) != entry.words:
        return False
    options = [word.partition("=")[0] for word in argv if word.startswith("-")]
    if entry.options is not None and not all(option in entry.options for option in options):
        return False
    if entry.names:
        return True
    # A further word stands for a subcommand, unless an option is right before it.
    extra = [place for place, word in enumerate(argv) if not word.startswith("-")][len(entry.words) :]
    return all(argv[place - 1].startswith("-") and "=" not in argv[place - 1] for place in extra)


def _kept_output(base: Path, most_bytes: int) -> Result:
    parts = {ending: base.with_name(f"{base.name}.{ending}") for ending in ("txt", "stderr", "code")}
    if not parts["txt"].is_file() and not parts["code"].is_file():
        return absent()
    texts = {
        ending: path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
        for ending, path in parts.items()
    }
    if len(texts["txt"]) + len(texts["stderr"]) > most_bytes:
        return unreadable(f"it wrote more than {most_bytes} bytes")
    code = texts["code"].strip() or "0"
    if not code.lstrip("-").isascii() or not code.lstrip("-").isdigit():
        return unreadable(f"{parts['code'].name} holds no number")
    return _finished(texts["txt"], texts["stderr"], int(code))


def _finished(stdout: str, stderr: str, code: int) -> Result:
    value = {"stdout": stdout, "stderr": stderr, "code": code}
    denied = code != 0 and any(word in stderr.lower() for word in _DENIALS)
    return present(value, NEEDS_ROOT if denied else "")


class _Run:
    """One command in a session of its own, so that its children can be ended with it."""

    def __init__(self, argv: list[str], limit_s: float, most_bytes: int) -> None:
        self._argv, self._limit_s, self._most_bytes = argv, limit_s, most_bytes

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
        with child:
            try:
                stdout, stderr, why = self._read(child)
            finally:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(child.pid, signal.SIGKILL)
            code = child.wait()
        return unreadable(why) if why else _finished(stdout, stderr, code)

    def _read(self, child: subprocess.Popen[bytes]) -> tuple[str, str, str]:
        ends = time.monotonic() + self._limit_s
        pieces: dict[str, list[bytes]] = {"stdout": [], "stderr": []}
        size = 0
        with selectors.DefaultSelector() as selector:
            for name, pipe in (("stdout", child.stdout), ("stderr", child.stderr)):
                if pipe is not None:  # both are pipes, as asked for
                    selector.register(pipe, selectors.EVENT_READ, name)
            while selector.get_map():
                left = ends - time.monotonic()
                ready = selector.select(left) if left > 0 else []
                if not ready:
                    return "", "", f"it did not end within {self._limit_s:g} s"
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
                child.wait(max(ends - time.monotonic(), 0.0))
        out, err = (b"".join(pieces[name]).decode("utf-8", "replace") for name in ("stdout", "stderr"))
        return out, err, "" if child.returncode is not None else f"it did not end within {self._limit_s:g} s"
