"""The journal of one transaction: a JSON object per line, on the disk before what it speaks of is done.

A process that is killed while it writes leaves half a line at the end, which counts as not written. Records are
numbered, so that one that is missing elsewhere does not go unnoticed.
"""

__all__ = ["Journal", "Record", "read_records"]

import errno
import json
import os
from typing import Any

from sparktune.agent.durable import append, remove, sync_folder

Record = dict[str, Any]

_NAME = "journal.jsonl"
_RESERVE = "reserve"
_PRIVATE = 0o600
_CHUNK = 1 << 20
_FULL = (errno.ENOSPC, errno.EDQUOT)


def read_records(folder: str) -> tuple[list[Record], str]:
    """Return what was written whole, and what is wrong with it ("" for nothing). Raises OSError."""
    records, _size, damage = _read(os.path.join(folder, _NAME))
    return records, damage


class Journal:
    """The journal in a folder, open for writing. ``records`` are those in it."""

    def __init__(self, folder: str) -> None:
        """Open it, make it when there is none, and cut off half a line. Raises OSError.

        One that is damaged is left for people to look at: that is an OSError, too.
        """
        self.folder = folder
        path = os.path.join(folder, _NAME)
        self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, _PRIVATE)
        try:
            self.records, self._size = _undamaged(path)
            os.ftruncate(self._handle, self._size)
            os.lseek(self._handle, self._size, os.SEEK_SET)
            sync_folder(folder)
        except OSError:
            os.close(self._handle)
            raise

    def close(self) -> None:
        """Close the file."""
        os.close(self._handle)

    def write(self, record: str, **fields: Any) -> None:  # noqa: ANN401 - what JSON can carry
        """Write one record to the disk; on a full one, at the cost of the reserve. Raises OSError."""
        whole = {"n": len(self.records), "record": record, **fields}
        line = json.dumps(whole, separators=(",", ":")).encode() + b"\n"
        try:
            self._append(line)
        except OSError as error:
            if error.errno not in _FULL or not self.free_reserve():
                raise
            self._append(line)
        self.records.append(whole)

    def reserve(self, size: int) -> None:
        """Keep so many bytes of the disk for undoing. Raises OSError when they are not there."""
        path = os.path.join(self.folder, _RESERVE)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, _PRIVATE)
        try:
            left = size
            while left > 0:  # written, not only allocated: not every file system can allocate
                left -= os.write(handle, bytes(min(left, _CHUNK)))
            os.fsync(handle)
        finally:
            os.close(handle)

    def free_reserve(self) -> bool:
        """Give the reserve back to the disk; tell whether there was one."""
        path = os.path.join(self.folder, _RESERVE)
        if not os.path.exists(path):
            return False
        try:
            remove(path)
        except OSError:
            return False
        return True

    def _append(self, line: bytes) -> None:
        try:
            append(self._handle, line)
        except OSError:
            # What was written of it must not stand in front of the next record.
            os.ftruncate(self._handle, self._size)
            os.lseek(self._handle, self._size, os.SEEK_SET)
            raise
        self._size += len(line)


def _read(path: str) -> tuple[list[Record], int, str]:
    """Return the records, where they end, and what is wrong after that ("" for half a line at the end, or nothing)."""
    data = _bytes(path)
    records: list[Record] = []
    size = 0
    lines = data.split(b"\n")
    for number, line in enumerate(lines[:-1]):
        record = _record(line)
        if record is None or record.get("n") != number:
            torn = record is None and number == len(lines) - 2 and not lines[-1]
            return records, size, "" if torn else f"line {number + 1} of {path} cannot be read"
        records.append(record)
        size += len(line) + 1
    return records, size, ""


def _undamaged(path: str) -> tuple[list[Record], int]:
    records, size, damage = _read(path)
    if damage:
        raise OSError(errno.EBADMSG, damage)
    return records, size


def _record(line: bytes) -> Record | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _bytes(path: str) -> bytes:
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        pieces = []
        while piece := os.read(handle, _CHUNK):
            pieces.append(piece)
        return b"".join(pieces)
    finally:
        os.close(handle)
