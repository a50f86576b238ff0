"""The files of a node, or those of a captured tree; in a tree, links lead nowhere else."""

__all__ = ["Tree"]

import errno
import fnmatch
import os
import re
from collections.abc import Callable

_MOST_LINKS = 40  # as the kernel has it
_MOST_PATHS = 200_000
_MAGIC = re.compile(r"[*?\[]")


class Tree:
    """Paths are absolute as the node has them; ``root`` is "" for the node itself, else the folder of a tree."""

    def __init__(self, root: str = "") -> None:
        """Remember the folder."""
        self.root = os.path.realpath(root) if root else ""
        self.at, self.steps = "", 0
        self.hung: set[str] = set()

    def real(self, path: str, *, follow: bool = True) -> str:
        """Return where a path really is; without ``follow`` a link at its end stays a link. Raises OSError.

        Whoever touches a path asks this first: ``at`` is the last one, ``steps`` how many it were. Those in ``hung``
        are refused.
        """
        self.at, self.steps = path, self.steps + 1
        if path in self.hung:
            raise OSError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT))
        if not self.root:
            return path
        todo = path.split("/")[::-1]
        done: list[str] = []
        links = 0
        while todo:
            part = todo.pop()
            if part in {"", "."}:
                continue
            if part == "..":
                del done[-1:]
                continue
            here = "/".join((self.root, *done, part))
            if not (follow or any(todo)) or not os.path.islink(here):
                done.append(part)
                continue
            links += 1
            if links > _MOST_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
            target = os.readlink(here)
            if target.startswith("/"):
                done.clear()
            todo.extend(target.split("/")[::-1])
        return "/".join((self.root, *done))

    def names(self, folder: str) -> list[str]:
        """Return the names in a folder, in order. Raises OSError."""
        return sorted(os.listdir(self.real(folder) or "/"))

    def exists(self, path: str) -> bool:
        """Tell whether something is there, if only a link to nothing. Raises OSError when that cannot be told."""
        try:
            os.lstat(self.real(path, follow=False))
        except (FileNotFoundError, NotADirectoryError, ProcessLookupError):
            return False
        return True

    def glob(self, pattern: str, refused: Callable[[OSError], None]) -> list[str]:
        """Return the paths that a shell pattern may stand for, in order: its last plain names are not looked up.

        As in a shell, a name that starts with a dot is matched only by a pattern that does. A folder that cannot be
        listed goes to ``refused``.
        """
        found = [""]
        for part in pattern.strip("/").split("/"):
            plain = not _MAGIC.search(part)
            found = [f"{base}/{part}" for base in found] if plain else self._listed(found, part, refused)
        return found

    def _listed(self, folders: list[str], part: str, refused: Callable[[OSError], None]) -> list[str]:
        matches = re.compile(fnmatch.translate(part)).match
        found: list[str] = []
        for folder in folders:
            try:
                names = self.names(folder)
            except OSError as error:
                refused(error)
                continue
            found += [f"{folder}/{name}" for name in names if matches(name) and (name[0] != "." or part[0] == ".")]
            if len(found) > _MOST_PATHS:
                refused(OSError(errno.E2BIG, f"more than {_MOST_PATHS} paths match"))
                break
        return found
