"""Read the same things again and again at a fixed rate: files stay open, and only what has changed is sent."""

__all__ = ["sample"]

import os
import resource
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from sparktune.agent.files import shown
from sparktune.agent.hello import time_pair
from sparktune.agent.observe import Observer
from sparktune.agent.protocol import MOST_READ_CHARACTERS
from sparktune.agent.tree import Tree

_SHORTEST_S = 0.05
_LOOK_AGAIN_S = 3.0  # for files that have come since
_MOST_FILES = 50_000
_MOST_BYTES = 65_536
_PIECE_BYTES = 2048  # files of /proc that are longer than a page come in pieces, each nearly a page
_KEEP_FREE = 64  # descriptors for everything else
_OPEN = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


def sample(
    tree: Tree, observer: Observer, request: dict[str, Any], waiting: Callable[[float], bool]
) -> Iterator[dict[str, Any]]:
    """Answer the verb ``sample``; ``waiting`` waits for the next request, which ends it."""
    interval_ns = int(max(float(request["interval_s"]), _SHORTEST_S) * 1e9)
    count = int(request["count"])
    sources = list(request["sources"])
    commands = [ask for ask in sources if ask["kind"] == "command"]
    patterns = [str(ask["path" if ask["kind"] == "file" else "pattern"]) for ask in sources if ask not in commands]
    files = _Files(tree, patterns)
    start, tick, missed, sent = time.monotonic_ns(), 0, 0, 0
    try:
        while True:
            clocks = time_pair()
            changed, gone = files.changes(clocks["monotonic_ns"])
            for ask in commands:
                _add_command(observer, ask, changed)
            yield {"part": {"tick": tick, **clocks, "missed": missed, "changed": changed, "gone": gone}}
            sent += 1
            # The schedule is absolute: a late tick does not move those after it, and one that is over is skipped.
            reached = (time.monotonic_ns() - start) // interval_ns
            missed = max(reached - tick, 0)
            tick += missed + 1
            if sent == count or waiting((start + tick * interval_ns - time.monotonic_ns()) / 1e9):
                yield {"ok": {"ticks": sent}}
                return
    finally:
        files.close()


def _add_command(observer: Observer, ask: dict[str, Any], changed: dict[str, str]) -> None:
    result = observer.read(ask)
    if result["state"] == "present" and result["value"]["code"] == 0:
        changed[" ".join(ask["argv"])] = result["value"]["stdout"]


class _Files:
    """Open files and the text that each had last."""

    def __init__(self, tree: Tree, patterns: list[str]) -> None:
        self._tree, self._patterns = tree, patterns
        self._handles: dict[str, int] = {}
        self._texts: dict[str, bytes] = {}
        self._look_at_ns = 0
        _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        self._most = min(_MOST_FILES, hard - _KEEP_FREE)

    def changes(self, now_ns: int) -> tuple[dict[str, str], list[str]]:
        """Return the texts that have changed since the last call, and the paths that have gone."""
        # Files of a tree are ordinary ones: a new one may be there under an old name.
        if self._tree.root:
            self.close()
        if self._tree.root or now_ns >= self._look_at_ns:
            self._look_at_ns = now_ns + int(_LOOK_AGAIN_S * 1e9)
            self._look()
        changed: dict[str, str] = {}
        texts, left = self._texts, MOST_READ_CHARACTERS
        for path, handle in list(self._handles.items()):
            try:
                data = os.pread(handle, _MOST_BYTES, 0)
                if len(data) >= _PIECE_BYTES:
                    data = _whole(handle, data)
            except OSError:
                self._drop(path)
                continue
            if texts.get(path) == data or left < len(data):
                continue
            texts[path] = data
            left -= len(data)
            changed[shown(path)] = data.decode("utf-8", "replace")
        gone = [path for path in texts if path not in self._handles]
        for path in gone:
            del texts[path]
        return changed, [shown(path) for path in gone]

    def close(self) -> None:
        """Close every file."""
        for path in list(self._handles):
            self._drop(path)

    def _drop(self, path: str) -> None:
        os.close(self._handles.pop(path))

    def _look(self) -> None:
        found = {path for pattern in self._patterns for path in self._tree.glob(pattern, lambda _error: None)}
        for path in self._handles.keys() - found:
            self._drop(path)
        for path in sorted(found - self._handles.keys()):
            if len(self._handles) >= self._most:
                break
            with suppress(OSError):
                self._handles[path] = os.open(self._tree.real(path), _OPEN)


def _whole(handle: int, data: bytes) -> bytes:
    while len(data) < _MOST_BYTES:
        piece = os.pread(handle, _MOST_BYTES - len(data), len(data))
        if not piece:
            break
        data += piece
    return data
