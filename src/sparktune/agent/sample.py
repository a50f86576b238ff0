"""Read the same things again and again at a fixed rate: files stay open, and only what has changed is sent."""

__all__ = ["sample"]

import errno
import os
import resource
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from sparktune.agent.files import open_regular, shown
from sparktune.agent.hello import time_pair
from sparktune.agent.observe import Observer
from sparktune.agent.outputs import Outputs
from sparktune.agent.protocol import MOST_READ_CHARACTERS
from sparktune.agent.tree import Tree

_SHORTEST_S = 0.05
_LOOK_AGAIN_S = 3.0  # for files that have come since
_MOST_FILES = 50_000
_MOST_BYTES = 1024 * 1024
_FIRST_BYTES = 4096
_PIECE_BYTES = 2048  # files of /proc that are longer than a page come in pieces, each nearly a page
_KEEP_FREE = 64  # descriptors for everything else


def sample(
    tree: Tree, observer: Observer, request: dict[str, Any], waiting: Callable[[float], bool]
) -> Iterator[dict[str, Any]]:
    """Answer the verb ``sample``; ``waiting`` waits for the next request, which ends it."""
    interval_ns = int(max(float(request["interval_s"]), _SHORTEST_S) * 1e9)
    count = int(request["count"])
    sources = _by_kind(request["sources"])
    read = sources["file"] + sources["files"]
    files = _Files(tree, {str(ask.get("path", ask.get("pattern"))): _starts(ask) for ask in read})
    outputs = Outputs(observer, sources["command"] + sources["count"])
    whys: dict[str, str] = {}
    start, tick, missed, sent = 0, 0, 0, 0
    try:
        while True:
            clocks = time_pair()
            start = start or clocks["monotonic_ns"]
            changed, gone = files.changes(clocks["monotonic_ns"])
            outputs.add_changes(changed, gone)
            unread, whys = _news(whys, dict(outputs.why))
            told = {"changed": changed, "gone": gone, **({"unread": unread} if unread else {})}
            yield {"part": {"tick": tick, **clocks, "missed": missed, **told}}
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


def _news(before: dict[str, str], now: dict[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return what is new about why sources have no text, and all of it."""
    return {path: why for path, why in now.items() if why != before.get(path, "")}, now


def _by_kind(asked: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    sources: dict[str, list[dict[str, Any]]] = {kind: [] for kind in ("command", "count", "file", "files")}
    for ask in asked:
        sources[ask["kind"]].append(ask)
    return sources


def _starts(ask: dict[str, Any]) -> tuple[bytes, ...]:
    return tuple(os.fsencode(start) for start in ask.get("lines", ()))


class _File:
    """An open file, what its lines must start with, and the text that it had last; None before it was read."""

    __slots__ = ("handle", "path", "starts", "text")

    def __init__(self, path: str, handle: int, starts: tuple[bytes, ...]) -> None:
        self.path, self.handle, self.starts = path, handle, starts
        self.text: bytes | None = None


class _Files:
    """The files of a sample. Most of them have not changed since the tick before: these are only read and compared."""

    def __init__(self, tree: Tree, patterns: dict[str, tuple[bytes, ...]]) -> None:
        self._tree, self._patterns = tree, patterns
        self._open: dict[str, _File] = {}
        self._gone: list[str] = []
        self._look_at_ns = 0
        _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        self._most = min(_MOST_FILES, hard - _KEEP_FREE)

    def changes(self, now_ns: int) -> tuple[dict[str, str], list[str]]:
        """Return the texts that have changed since the last call, and the paths that have gone."""
        if self._tree.root:
            self._reopen()
        if self._tree.root or now_ns >= self._look_at_ns:
            self._look_at_ns = now_ns + int(_LOOK_AGAIN_S * 1e9)
            self._look()
        changed: dict[str, str] = {}
        broken: list[_File] = []
        pread, left = os.pread, MOST_READ_CHARACTERS
        for file in self._open.values():
            try:
                data = pread(file.handle, _FIRST_BYTES, 0)
                if len(data) >= _PIECE_BYTES:
                    data = _whole(file.handle, data)
            except OSError:
                broken.append(file)
                continue
            if file.starts:
                data = b"".join(line for line in data.splitlines(keepends=True) if line.startswith(file.starts))
            if data != file.text and len(data) <= left:
                file.text = data
                left -= len(data)
                changed[shown(file.path)] = data.decode("utf-8", "replace")
        for file in broken:
            self._drop(file)
        gone, self._gone = self._gone, []
        return changed, [shown(path) for path in gone]

    def close(self) -> None:
        """Close every file."""
        for file in list(self._open.values()):
            self._drop(file)

    def _drop(self, file: _File) -> None:
        os.close(file.handle)
        del self._open[file.path]
        if file.text is not None:
            self._gone.append(file.path)

    def _look(self) -> None:
        found = {
            path: starts
            for pattern, starts in self._patterns.items()
            for path in self._tree.glob(pattern, lambda _error: None)
        }
        for path in self._open.keys() - found.keys():
            self._drop(self._open[path])
        for path in sorted(found.keys() - self._open.keys()):
            if len(self._open) >= self._most:
                break
            handle = self._opened(path)
            if handle is not None:
                self._open[path] = _File(path, handle, found[path])

    def _reopen(self) -> None:
        """Open the files of a tree anew: they are ordinary ones, and another may be there under the same name."""
        for file in list(self._open.values()):
            handle = self._opened(file.path)
            if handle is None:
                self._drop(file)
            else:
                os.close(file.handle)
                file.handle = handle

    def _opened(self, path: str) -> int | None:
        try:
            return open_regular(self._tree.real(path))
        except OSError:
            return None


def _whole(handle: int, data: bytes) -> bytes:
    """Read the rest. Raises OSError when it is too long: half of it would mislead."""
    while piece := os.pread(handle, _MOST_BYTES - len(data), len(data)):
        data += piece
        if len(data) >= _MOST_BYTES:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return data
