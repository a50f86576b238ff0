"""Root's eyes and hands: this same agent once more, started by ``sudo -n`` when something first needs it."""

__all__ = ["ROOT_NONCE", "Root"]

import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from sparktune.agent.bootstrap import bootstrap
from sparktune.agent.lines import Lines
from sparktune.agent.protocol import greeting
from sparktune.agent.results import NEEDS_ROOT, Result, explain_denied, unreadable

ROOT_NONCE = "root"
_PATIENCE_S = 10.0
_FAREWELL_S = 2.0
_NO_PASSWORD = "sudo would ask for a password"  # noqa: S105 - a message


class Root:
    """A privileged child, started once; when that fails, why it did. It ends when its stdin does, so with this one."""

    def __init__(self, archive: bytes) -> None:
        """Keep the archive for the child."""
        self._archive = archive
        self._child: subprocess.Popen[bytes] | None = None
        self._lines: Lines | None = None
        self._why = ""

    def instead(self, ask: dict[str, Any], result: Result) -> Result:
        """Return the read's result as root gets it; else the one there is, which then says why root was not asked."""
        if self._child is None and not self._why:
            self._start()
        if self._lines is not None:
            try:
                return self._ask(self._lines, ask)
            except (OSError, ValueError, TypeError, KeyError) as error:
                self._give_up(f"asking root failed: {error}")
        why = f"{NEEDS_ROOT}: {self._why}"
        if ask["kind"] == "command":
            return unreadable(why)  # what it did print is not what it prints
        explain_denied(result, why)
        return result

    def forward(self, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Let root answer a whole request."""
        if self._child is None and not self._why:
            self._start()
        if self._lines is None:
            yield {"error": {"kind": "root", "message": f"{NEEDS_ROOT}: {self._why}"}}
            return
        try:
            self._lines.send({**request, "id": 1})
            while (answer := self._lines.receive()) is not None:
                yield {key: value for key, value in answer.items() if key != "id"}
                if "part" not in answer:
                    return
            why = "it ended"
        except (OSError, ValueError) as error:
            why = str(error)
        self._give_up(f"asking root failed: {why}")
        yield {"error": {"kind": "internal", "message": f"root's agent broke off, see the journal: {why}"}}

    def close(self) -> None:
        """End the child."""
        self._give_up("it is over")

    def _ask(self, lines: Lines, ask: dict[str, Any]) -> Result:
        lines.send({"id": 1, "verb": "observe", "reads": [ask]})
        answer, end = lines.receive(), lines.receive()
        if answer is None or end is None:
            message = "it ended"
            raise ValueError(message)
        return {key: value for key, value in answer["part"].items() if key != "index"}

    def _start(self) -> None:
        command = ("sudo", "-n", "--", *bootstrap(sys.executable, self._archive, ROOT_NONCE))
        pipe = subprocess.PIPE
        try:
            child = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0)
        except OSError as error:
            self._why = "there is no sudo" if isinstance(error, FileNotFoundError) else f"sudo: {error.strerror}"
            return
        self._child = child
        if child.stdin is None or child.stdout is None:  # they are pipes, as asked for
            return
        with suppress(BrokenPipeError):
            child.stdin.write(self._archive)
        lines = Lines(child.stdout.fileno(), child.stdin.fileno())
        if lines.waiting(_PATIENCE_S) and lines.line() == greeting(ROOT_NONCE).encode():
            self._lines = lines
            return
        self._give_up("sudo does not answer")

    def _give_up(self, why: str) -> None:
        child, self._child, self._lines = self._child, None, None
        self._why = self._why or why
        if child is None:
            return
        complaints = _ended(child)
        if b"password" in complaints:
            self._why = _NO_PASSWORD
        elif complaints.strip():
            self._why = complaints.decode("utf-8", "replace").strip().splitlines()[-1]


def _ended(child: subprocess.Popen[bytes]) -> bytes:
    """End a child, which is root's and may not be killed: it goes when its stdin does. Return what it complained of."""
    if child.stdin is not None:
        with suppress(BrokenPipeError):
            child.stdin.close()
        child.stdin = None
    try:
        return child.communicate(timeout=_FAREWELL_S)[1]
    except subprocess.TimeoutExpired:
        with suppress(PermissionError):
            child.kill()
        with suppress(subprocess.TimeoutExpired):
            return child.communicate(timeout=_FAREWELL_S)[1]
    return b""
