"""A trace has whole lines only: what could not be written is taken back, and the next line is tried again."""

import errno
import os
from pathlib import Path

import pytest

from sparktune.errors import UsageError
from sparktune.io.record.trace_file import TraceFile


def test_half_a_line_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.jsonl"
    trace = TraceFile(TraceFile.create(path))
    write, room = os.write, [4]

    def until_full(descriptor: int, data: memoryview) -> int:
        if not room[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        count = write(descriptor, data[: room[0]])
        room[0] -= count
        return count

    monkeypatch.setattr(os, "write", until_full)
    assert trace.append(b"one\n")
    room[0] = 2
    assert not trace.append(b"two and more\n")
    assert trace.error == "No space left on device"
    room[0] = 100
    assert trace.append(b"three\n")

    assert path.read_bytes() == b"one\nthree\n"


def test_the_file_is_new_and_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    os.close(TraceFile.create(path))

    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(UsageError, match="there already"):
        TraceFile.create(path)
    with pytest.raises(UsageError, match="cannot be created"):
        TraceFile.create(tmp_path / "no" / "t.jsonl")
