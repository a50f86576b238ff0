"""Writes that are on the disk when they return, also after a power cut.

A file is there when its own data and the folder that names it were written: fsync(2), "calling fsync() does not
necessarily ensure that the entry in the directory containing the file has also reached disk".
"""

__all__ = ["append", "make_folder", "remove", "replace", "sync_folder"]

import os
from contextlib import suppress

_PRIVATE_FOLDER = 0o700
_PRIVATE_FILE = 0o600


def sync_folder(path: str) -> None:
    """Write a folder's names to the disk. Raises OSError."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_folder(path: str) -> None:
    """Make a private folder, and the ones above it, unless they exist. Raises OSError."""
    if os.path.isdir(path):
        return
    above = os.path.dirname(path)
    if not os.path.isdir(above):
        os.makedirs(above, exist_ok=True)
    with suppress(FileExistsError):
        os.mkdir(path, _PRIVATE_FOLDER)
    sync_folder(above)


def append(handle: int, data: bytes) -> None:
    """Write all of the data to an open file and to the disk. Raises OSError."""
    left = memoryview(data)
    while left:
        left = left[os.write(handle, left) :]
    os.fsync(handle)


def replace(path: str, data: bytes) -> None:
    """Make a private file be this, at once: there is never half of it. Raises OSError."""
    new = f"{path}.new"
    handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, _PRIVATE_FILE)
    try:
        append(handle, data)
    finally:
        os.close(handle)
    os.rename(new, path)
    sync_folder(os.path.dirname(path))


def remove(path: str) -> None:
    """Remove a file if it is there. Raises OSError."""
    with suppress(FileNotFoundError):
        os.unlink(path)
