"""Files of settings and symbolic links: captured whole, replaced atomically, put back exactly.

Sources: rename(2) replaces atomically within one file system; fsync(2): a new name lasts only when its folder is
synced, too; chown(2) clears set-user-ID bits and capabilities, hence owner, attributes and mode come in that order.
"""

__all__ = ["MOST_BYTES", "Captured", "Files"]

import base64
import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from sparktune.agent.failures import SomethingElse, StepFailed
from sparktune.agent.tree import Tree
from sparktune.agent.why import why

MOST_BYTES = 1024 * 1024
# What is there, as JSON carries it. {"text" or "base64", "mode", "uid", "gid", "xattrs", "mtime_ns"} of a file,
# {"target", "uid", "gid", "mtime_ns"} of a link; of nothing None, or {"missing": folders} when those are not there
# either, the outermost first.
Captured = dict[str, Any] | None
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FOLDER_MODE = 0o755


class Files:
    """Of one node or tree. All methods raise StepFailed, which says what of a path did not work and why.

    It is SomethingElse where what is there is nothing that could be captured.
    """

    def __init__(self, tree: Tree) -> None:
        """Take the tree."""
        self._tree = tree

    def capture(self, path: str) -> Captured:
        """Return what is at a path; anything but a regular file with one name, or a link, is refused."""
        with _told(path):
            real = self._tree.real(path, follow=False)
            try:
                found = os.lstat(real)
            except (FileNotFoundError, NotADirectoryError):
                folders = self._missing_folders(path)
                return {"missing": folders} if folders else None
            if stat.S_ISLNK(found.st_mode):
                return {"target": _text_of(path, os.readlink(real)), **_owner(found)}
            if not stat.S_ISREG(found.st_mode):
                message = f"{path} is neither a file nor a link"
                raise SomethingElse(message, "neither a file nor a link")
            return _captured_file(path, real)

    def put_file(self, path: str, wanted: dict[str, Any]) -> None:
        """Make a file of these bytes and, where named, owner, mode, attributes and time; replace what is there."""
        with _told(path), self._new_name(path) as (real, temporary):
            handle = os.open(temporary, _NEW, 0o600)
            try:
                _fill(handle, wanted)
                os.fsync(handle)
            finally:
                os.close(handle)
            os.replace(temporary, real)

    def put_link(self, path: str, wanted: dict[str, Any]) -> None:
        """Make a link that says ``target``; replace what is there."""
        with _told(path), self._new_name(path) as (real, temporary):
            os.symlink(wanted["target"], temporary)
            if "uid" in wanted:
                made = os.lstat(temporary)
                if (made.st_uid, made.st_gid) != (wanted["uid"], wanted["gid"]):
                    os.lchown(temporary, wanted["uid"], wanted["gid"])
                os.utime(temporary, ns=(wanted["mtime_ns"], wanted["mtime_ns"]), follow_symlinks=False)
            os.replace(temporary, real)

    def remove(self, path: str) -> None:
        """Remove a file or link; nothing happens when it is not there."""
        with _told(path):
            real = self._tree.real(path, follow=False)
            with suppress(FileNotFoundError, NotADirectoryError):
                os.unlink(real)
                _sync(os.path.dirname(real))

    def put_back(self, path: str, before: Captured) -> None:
        """Make a path what it was, with the folders around it."""
        if before is None or "missing" in before:
            self.remove(path)
            self.tidy(path, before)
        elif "target" in before:
            self.put_link(path, before)
        else:
            self.put_file(path, before)

    def tidy(self, path: str, before: Captured) -> None:
        """Remove what was begun and not finished, and folders that were not there before and are empty now."""
        with _told(path):
            temporary = _temporary(self._tree.real(path, follow=False))
            with suppress(FileNotFoundError, NotADirectoryError):
                os.unlink(temporary)
                _sync(os.path.dirname(temporary))
            for folder in reversed((before or {}).get("missing", ())):
                real = self._tree.real(folder, follow=False)
                try:
                    os.rmdir(real)
                except (FileNotFoundError, NotADirectoryError):
                    continue
                except OSError:
                    break  # somebody else's file is in it by now
                _sync(os.path.dirname(real))

    def _missing_folders(self, path: str) -> list[str]:
        pieces = path.strip("/").split("/")[:-1]
        folders = ["/" + "/".join(pieces[: count + 1]) for count in range(len(pieces))]
        return [folder for folder in folders if not self._tree.exists(folder)]

    @contextmanager
    def _new_name(self, path: str) -> Iterator[tuple[str, str]]:
        """Lend a temporary name beside a path; when that fails, neither it nor new folders stay."""
        missing: Captured = {"missing": self._missing_folders(path)}
        try:
            for folder in (missing or {})["missing"]:
                real_folder = self._tree.real(folder, follow=False)
                os.mkdir(real_folder, _FOLDER_MODE)
                os.chmod(real_folder, _FOLDER_MODE)  # whatever the umask is
                _sync(os.path.dirname(real_folder))
            real = self._tree.real(path, follow=False)
            temporary = _temporary(real)
            with suppress(FileNotFoundError):
                os.unlink(temporary)  # of a run that was killed
            yield real, temporary
            _sync(os.path.dirname(real))
        except BaseException:
            with suppress(StepFailed):
                self.tidy(path, missing)
            raise


@contextmanager
def _told(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        message = f"{path}: {why(error)}"
        raise StepFailed(message) from error


def _temporary(real: str) -> str:
    folder, name = os.path.split(real)
    return f"{folder}/.{name}.sparktune"


def _sync(folder: str) -> None:
    handle = os.open(folder or "/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.ENOTSUP}:  # some file systems have no such thing for folders
            raise
    finally:
        os.close(handle)


def _owner(found: os.stat_result) -> dict[str, Any]:
    return {"uid": found.st_uid, "gid": found.st_gid, "mtime_ns": found.st_mtime_ns}


def _text_of(path: str, name: str) -> str:
    try:
        name.encode()
    except UnicodeError:
        message = f"{path} leads to a name that is no text"
        raise SomethingElse(message, "a link to a name that is no text") from None
    return name


def _captured_file(path: str, real: str) -> dict[str, Any]:
    handle = os.open(real, _READ)
    try:
        found = os.fstat(handle)
        data = _all_of(handle)
        if len(data) > MOST_BYTES:
            message = f"{path} is longer than {MOST_BYTES} bytes"
            raise SomethingElse(message, f"more than {MOST_BYTES} bytes")
        if found.st_nlink > 1:
            message = f"{path} has {found.st_nlink} names (hard links): the others would keep the old text"
            raise SomethingElse(message, f"a file with {found.st_nlink} names")
        kept = {"mode": stat.S_IMODE(found.st_mode), **_owner(found), "xattrs": _attributes(handle)}
    finally:
        os.close(handle)
    try:
        return {"text": data.decode(), **kept}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode(), **kept}


def _all_of(handle: int) -> bytes:
    pieces: list[bytes] = []
    size = 0
    while size <= MOST_BYTES and (piece := os.read(handle, MOST_BYTES + 1 - size)):
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces)


def _attributes(handle: int) -> dict[str, str]:
    try:
        names = os.listxattr(handle)
    except OSError:
        return {}  # a file system without them
    found = {}
    for name in names:
        with suppress(OSError):  # one that only the kernel may see
            found[name] = base64.b64encode(os.getxattr(handle, name)).decode()
    return found


def _fill(handle: int, wanted: dict[str, Any]) -> None:
    data = base64.b64decode(wanted["base64"]) if "base64" in wanted else wanted["text"].encode()
    while data:
        data = data[os.write(handle, data) :]
    made = os.fstat(handle)
    if "uid" in wanted and (made.st_uid, made.st_gid) != (wanted["uid"], wanted["gid"]):
        os.fchown(handle, wanted["uid"], wanted["gid"])
    if "xattrs" in wanted:
        _set_attributes(handle, wanted["xattrs"])
    os.fchmod(handle, wanted["mode"])
    if "mtime_ns" in wanted:
        os.utime(handle, ns=(wanted["mtime_ns"], wanted["mtime_ns"]))


def _set_attributes(handle: int, wanted: dict[str, str]) -> None:
    made = _attributes(handle)
    for name in made.keys() - wanted.keys():
        os.removexattr(handle, name)  # a folder may give its files an access list
    for name, value in wanted.items():
        if made.get(name) != value:
            os.setxattr(handle, name, base64.b64decode(value))
