"""Read files, links, names and stats; bounded, and never waiting for a pipe or a device."""

__all__ = ["open_regular", "read_file", "read_files", "read_links", "read_names", "read_stats", "shown"]

import errno
import os
import stat
from typing import Any

from sparktune.agent.protocol import MOST_READ_CHARACTERS
from sparktune.agent.results import NEEDS_ROOT, Result, present, unreadable, why_not
from sparktune.agent.tree import Tree

_OPEN = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_CHUNK = 65_536


class _Gaps:
    """Why an answer is not all of it; that root would have got more says the most."""

    def __init__(self) -> None:
        self.why = ""

    def add(self, why: str) -> None:
        if self.why != NEEDS_ROOT:
            self.why = why

    def refused(self, error: OSError) -> None:
        result = why_not(error)
        if result["state"] == "unreadable":
            self.add(result["why"])


def read_file(tree: Tree, ask: dict[str, Any]) -> Result:
    """Read ``path``: text, at most ``most_bytes``."""
    return _read(tree, str(ask["path"]), min(int(ask["most_bytes"]), MOST_READ_CHARACTERS))


def read_files(tree: Tree, ask: dict[str, Any]) -> Result:
    """Read what ``pattern`` matches, ``most_files`` of ``most_bytes`` each; of each the ``lines`` that start so."""
    most_bytes, most_files, starts = int(ask["most_bytes"]), int(ask["most_files"]), tuple(ask["lines"])
    gaps, left = _Gaps(), MOST_READ_CHARACTERS
    results: dict[str, Result] = {}
    for path in tree.glob(str(ask["pattern"]), gaps.refused):
        result = _read(tree, path, min(most_bytes, MOST_READ_CHARACTERS), starts)
        if result["state"] == "absent":
            continue
        left -= len(result.get("value", ""))
        if left < 0 or len(results) >= most_files:
            gaps.add(f"more than {most_files} files match" if left >= 0 else f"more than {MOST_READ_CHARACTERS} bytes")
            break
        results[shown(path)] = result
    return present(results, gaps.why)


def read_links(tree: Tree, ask: dict[str, Any]) -> Result:
    """Read where the links that ``pattern`` matches lead, as they say it; other files are left out."""
    gaps = _Gaps()
    targets: dict[str, str] = {}
    for path in tree.glob(str(ask["pattern"]), gaps.refused):
        try:
            targets[shown(path)] = shown(os.readlink(tree.real(path, follow=False)))
        except OSError as error:
            if error.errno != errno.EINVAL:  # it is no link
                gaps.refused(error)
    return present(targets, gaps.why)


def read_names(tree: Tree, ask: dict[str, Any]) -> Result:
    """List the paths that ``pattern`` matches."""
    gaps = _Gaps()
    paths: list[str] = []
    for path in tree.glob(str(ask["pattern"]), gaps.refused):
        try:
            if tree.exists(path):
                paths.append(shown(path))
        except OSError as error:
            gaps.refused(error)
    return present(paths, gaps.why)


def read_stats(tree: Tree, ask: dict[str, Any]) -> Result:
    """Tell size and time of the last change of what ``pattern`` matches, links followed; nothing is opened."""
    gaps = _Gaps()
    found: dict[str, dict[str, int]] = {}
    for path in tree.glob(str(ask["pattern"]), gaps.refused):
        try:
            seen = os.stat(tree.real(path))
        except OSError as error:
            gaps.refused(error)
            continue
        found[shown(path)] = {"size": seen.st_size, "mtime_ns": seen.st_mtime_ns}
    return present(found, gaps.why)


def open_regular(path: str) -> int | None:
    """Open a file for reading; None for a folder, a pipe or a device. Raises OSError."""
    handle = os.open(path, _OPEN)
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return handle
    os.close(handle)
    return None


def shown(name: str) -> str:
    """Return a name that JSON can carry: bytes that are no UTF-8 become replacement characters."""
    return os.fsencode(name).decode("utf-8", "replace")


def _read(tree: Tree, path: str, most_bytes: int, starts: tuple[str, ...] = ()) -> Result:
    try:
        data = _bytes(tree.real(path), most_bytes)
    except OSError as error:
        return why_not(error)
    if data is None:
        return unreadable("it is no file")
    if len(data) > most_bytes:
        return unreadable(f"it is longer than {most_bytes} bytes")
    text = data.decode("utf-8", "replace")
    return present(_picked(text, starts) if starts else text)


def _bytes(path: str, most_bytes: int) -> bytes | None:
    handle = open_regular(path)
    if handle is None:
        return None
    try:
        # Files of /proc come in pieces, whatever size is asked for, and say nothing of their length before.
        pieces = [os.read(handle, min(_CHUNK, most_bytes + 1))]
        size = len(pieces[0])
        while pieces[-1] and size <= most_bytes:
            pieces.append(os.read(handle, min(_CHUNK, most_bytes + 1 - size)))
            size += len(pieces[-1])
        return b"".join(pieces)
    finally:
        os.close(handle)


def _picked(text: str, starts: tuple[str, ...]) -> str:
    """Keep the lines that start so; in a text with NUL, like an environment, that is what ends a line."""
    end = "\0" if "\0" in text else "\n"
    return "".join(line + end for line in text.split(end) if line.startswith(starts))
