"""Files that a user names: checked before the work starts, written whole or not at all."""

__all__ = ["atomic_writer", "check_writable", "write_atomic", "write_atomic_bytes"]

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, TextIO

from sparktune.errors import UsageError

_PRIVATE: Final = 0o600
_PUBLIC: Final = 0o644
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


@contextmanager
def atomic_writer(
    path: Path, *, private: bool = False, keep_owner: bool = False, public: bool = False
) -> Iterator[TextIO]:
    """Open a file for text that becomes ``path`` at the end of the block, unless the block raises.

    A link is followed; a pipe or a device is written directly. The new file has the old one's mode, or the usual one; a
    ``private`` one is for its owner alone, a ``public`` one has 0644. Raises UsageError when it cannot be written.
    """
    with _explained(path):
        special = _is_special(path)
        target = path.resolve()
    if special:
        with _explained(path), path.open("w", encoding="utf-8", errors="backslashreplace") as file:
            yield file
        return
    draft = target.with_name(f".sparktune-{os.getpid()}-{os.urandom(4).hex()}.tmp")
    try:
        opener = _private_opener if private else None
        with (
            _explained(path),
            open(draft, "x", encoding="utf-8", errors="backslashreplace", opener=opener) as file,
        ):
            yield file
            file.flush()
            os.fsync(file.fileno())
        with _explained(path):
            if target.exists() and keep_owner:
                os.chown(draft, target.stat().st_uid, target.stat().st_gid)
            if public:
                draft.chmod(_PUBLIC)
            elif target.exists() and not private:
                draft.chmod(target.stat().st_mode & 0o7777)
            draft.replace(target)
    except BaseException:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise


def _private_opener(path: str, flags: int) -> int:
    return os.open(path, flags, _PRIVATE)


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
