"""Files that a user names: checked before the work starts, written whole or not at all."""

__all__ = ["atomic_writer", "check_writable", "write_atomic", "write_atomic_bytes", "write_new"]

import errno
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, TextIO

from sparktune.errors import UsageError

_PRIVATE: Final = 0o600
_PUBLIC: Final = 0o644
_USUAL: Final = 0o666
_NO_LINKS: Final = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})
_HINT = "name a file in a folder that exists, that you may write to and that has space"


def check_writable(path: Path) -> None:
    """Find out now whether ``write_atomic`` could write there; nothing stays behind.

    Raises UsageError: better than after an hour of measuring.
    """
    with _explained(path):
        if path.is_dir():
            raise IsADirectoryError(0, "it is a folder")
        if _is_special(path):
            os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
            return
        with tempfile.TemporaryFile(dir=path.resolve().parent):
            pass


def write_atomic(path: Path, text: str, *, private: bool = False, public: bool = False) -> None:
    """Write UTF-8 text; who reads the path sees the old file or the new one, never half of it. Raises UsageError.

    A ``private`` file is for its owner alone from its first byte on, whatever mode the old one had; a ``public`` one
    can be read by all, whatever the umask.
    """
    with atomic_writer(path, private=private, public=public) as file:
        file.write(text)


def write_atomic_bytes(path: Path, data: bytes, *, keep_owner: bool = False) -> None:
    """Write bytes as ``write_atomic`` writes text; ``keep_owner``: with the old one's owner, or not at all."""
    with atomic_writer(path, keep_owner=keep_owner) as file:
        file.flush()
        file.buffer.write(data)


def write_new(path: Path, text: str) -> None:
    """Write a file that is not there yet, whole or not at all. Raises UsageError, also where somebody made it since.

    A link that leads nowhere is followed: the file is made where it points to.
    """
    with _explained(path):
        target = path.resolve()
    draft = _draft(target)
    try:
        with _explained(path), open(draft, "x", encoding="utf-8", opener=_opener(draft)) as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        with _explained(path):
            if not _has_linked(draft, target):
                message = f"{path} was written by somebody else meanwhile; it was left as it is"
                raise UsageError(message, hint="look at it; to have it made anew, move it away and do this again")
            _flush_folder(target.parent)
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def _has_linked(draft: Path, target: Path) -> bool:
    """Give a file its name; False where somebody else has it. Raises OSError.

    Source: link(2), "newpath [...] will not be overwritten".
    """
    try:
        os.link(draft, target)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # A file system without links (FAT, some network mounts): the name is free, or was until just now.
        if target.exists():
            return False
        draft.rename(target)
    return True


@contextmanager
def atomic_writer(
    path: Path, *, private: bool = False, keep_owner: bool = False, public: bool = False
) -> Iterator[TextIO]:
    """Open a file for text that becomes ``path`` at the end of the block, unless the block raises.

    A link is followed; a pipe or a device is written directly. The new file has the old one's mode, from its first byte
    on, and its owner and group where this user may give them; a ``private`` one is this user's alone, a ``public`` one
    has 0644. Raises UsageError when it cannot be written.
    """
    with _explained(path):
        special = _is_special(path)
        target = path.resolve()
    if special:
        with _explained(path), path.open("w", encoding="utf-8", errors="backslashreplace") as file:
            yield file
        return
    draft = _draft(target)
    try:
        with (
            _explained(path),
            open(
                draft, "x", encoding="utf-8", errors="backslashreplace", opener=_opener(target, private=private)
            ) as file,
        ):
            yield file
            file.flush()
            os.fsync(file.fileno())
        with _explained(path):
            if target.exists() and not private:
                _give(draft, target.stat(), exactly=keep_owner)
            if public:
                draft.chmod(_PUBLIC)
            draft.replace(target)
            _flush_folder(target.parent)
    except BaseException:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise


def _draft(target: Path) -> Path:
    return target.with_name(f".sparktune-{os.getpid()}-{os.urandom(4).hex()}.tmp")


def _opener(target: Path, *, private: bool = False) -> Callable[[str, int], int]:
    """Return what makes the draft: nobody may read of it who may not read the file that it becomes."""
    mode = _PRIVATE if private else target.stat().st_mode & _USUAL if target.exists() else _USUAL

    def opened(path: str, flags: int) -> int:
        return os.open(path, flags | os.O_CLOEXEC, mode | stat.S_IWUSR)

    return opened


def _give(draft: Path, old: os.stat_result, *, exactly: bool) -> None:
    """Give a file the owner, group and mode of the one that it replaces: ``sudo`` must not take a file away.

    Raises OSError; for the owner or group only where they have to be so ``exactly``. Source: chown(2), only root gives
    a file away, and its owner may give it to a group that he is in.
    """
    for user, group in ((old.st_uid, -1), (-1, old.st_gid)):
        try:
            os.chown(draft, user, group)
        except OSError:
            now = draft.stat()
            if exactly and (now.st_uid, now.st_gid) != (old.st_uid, old.st_gid):
                raise
    draft.chmod(stat.S_IMODE(old.st_mode))


def _flush_folder(folder: Path) -> None:
    """Force a new name to the disk; a file system that does not do so for folders has it there all the same."""
    with suppress(OSError):
        place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(place)
        finally:
            os.close(place)


def _is_special(path: Path) -> bool:
    """Whether something is there that has no content to replace: a pipe, a terminal, ``/dev/stdout``."""
    return path.exists() and not path.is_file() and not path.is_dir()


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        message = f"{path} cannot be written: {error.strerror or error}"
        raise UsageError(message, hint=_HINT) from error
