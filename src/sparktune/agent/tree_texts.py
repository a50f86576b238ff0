"""Texts of a captured tree: read, replaced at once, and restored."""

__all__ = ["Texts"]

import json
import os
import re
from contextlib import suppress
from typing import Any

from sparktune.agent.files import open_regular
from sparktune.agent.tree import Tree

_MOST_BYTES = 8 * 1024 * 1024
_AS_IT_IS = "surrogateescape"  # names of threads may be any bytes, which come back
# Where a node's own state lies; it belongs to no captured state, and is removed with the last transaction.
_STATE = "/var/lib/sparktune"
_MEMORY = f"{_STATE}/tree.json"


class Texts:
    """What is written is complete or not there: it is made below /var/lib/sparktune and renamed.

    ``PATH|NAME`` stands for the lines of a file that start with a name: ``Cpus_allowed`` and ``Cpus_allowed_list``.
    """

    def __init__(self, tree: Tree) -> None:
        """Take the tree."""
        self.tree = tree

    def read(self, path: str) -> str | None:
        """Return a file's text, None when it is not there or cannot be read."""
        try:
            handle = open_regular(self.tree.real(path))
        except OSError:
            return None
        if handle is None:
            return None
        with os.fdopen(handle, "rb") as file:
            data = file.read(_MOST_BYTES + 1)
        return data.decode("utf-8", _AS_IT_IS) if len(data) <= _MOST_BYTES else None

    def names(self, folder: str) -> list[str]:
        """Return the names in a folder, none when it is not there."""
        try:
            return self.tree.names(folder)
        except OSError:
            return []

    def replace(self, path: str, text: str) -> None:
        """Give a file that is there another text; it keeps its mode, owner and time. Raises OSError."""
        if self.read(path) == text:
            return
        real = self.tree.real(path)
        self._write(real, text, os.stat(real))

    def kept(self, *keys: str) -> dict[str, str]:
        """Return what keys stand for now; what is not there is left out."""
        found = {}
        for key in keys:
            path, _, name = key.partition("|")
            text = self.read(path) if path else None
            if text is not None:
                found[key] = "".join(_lines(text, name)) if name else text
        return found

    def restore(self, kept: dict[str, str], *, last: str = "") -> None:
        """Write back what was kept."""
        for key in sorted(kept, key=lambda one: one == last):
            path, _, name = key.partition("|")
            text = self.read(path)
            if text is not None:
                self.replace(path, _with_lines(text, kept[key]) if name else kept[key])

    def remember(self, name: str, value: str | None) -> None:
        """Keep what something was before it followed from something else; the first one stays."""
        memory = self._memory()
        if name not in memory:
            self._remember({**memory, name: value})

    def remembered(self, name: str) -> tuple[bool, str | None]:
        """Tell whether something is remembered, and what."""
        memory = self._memory()
        return name in memory, memory.get(name)

    def forget(self, name: str) -> None:
        """Remove it from memory."""
        memory = self._memory()
        if memory.pop(name, self) is not self:
            self._remember(memory)

    def _memory(self) -> dict[str, Any]:
        return dict(json.loads(self.read(_MEMORY) or "{}"))

    def _remember(self, memory: dict[str, Any]) -> None:
        real = self.tree.real(_MEMORY)
        if memory:
            self._write(real, json.dumps(memory), None)
        else:
            with suppress(FileNotFoundError):
                os.unlink(real)

    def _write(self, real: str, text: str, like: os.stat_result | None) -> None:
        folder = self.tree.real(_STATE)
        os.makedirs(folder, 0o700, exist_ok=True)
        temporary = f"{folder}/tree.new"
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            data = text.encode("utf-8", _AS_IT_IS)
            while data:
                data = data[os.write(handle, data) :]
            if like is not None:
                made = os.fstat(handle)
                if (made.st_uid, made.st_gid) != (like.st_uid, like.st_gid):
                    os.fchown(handle, like.st_uid, like.st_gid)
                os.fchmod(handle, like.st_mode & 0o7777)
                os.utime(handle, ns=(like.st_atime_ns, like.st_mtime_ns))
        finally:
            os.close(handle)
        os.replace(temporary, real)


def _lines(text: str, name: str) -> list[str]:
    return [line for line in text.splitlines(keepends=True) if line.startswith(name)]


def _with_lines(text: str, lines: str) -> str:
    """Replace the lines that have the same names, up to their colons."""
    for line in lines.splitlines():
        name = re.escape(line.partition(":")[0])
        text = re.sub(rf"^{name}:.*$", line.replace("\\", r"\\"), text, count=1, flags=re.MULTILINE)
    return text
