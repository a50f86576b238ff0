"""Files that a user names: never half written, never found out too late."""

import os
import stat
import threading
from functools import partial
from pathlib import Path
from typing import TextIO

import pytest

from sparktune.errors import UsageError
from sparktune.io.files import atomic_writer, check_writable, write_atomic


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    path = tmp_path / "result.md"
    check_writable(path)
    assert list(tmp_path.iterdir()) == []

    write_atomic(path, "a ± b\n")

    assert path.read_text(encoding="utf-8") == "a ± b\n"
    assert list(tmp_path.iterdir()) == [path]


def test_a_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    write_atomic(tmp_path / "ours", "")

    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_an_old_file_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.touch(mode=0o600)
    write_atomic(path, "{}")

    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_private_file_is_its_owners_alone_whatever_was_there(tmp_path: Path) -> None:
    """Also while it is written: a copy of a password that was readable for a second was readable."""
    path = tmp_path / "plan.json"
    path.touch(mode=0o644)

    with atomic_writer(path, private=True) as file:
        file.write("secret")
        assert {stat.S_IMODE(one.stat().st_mode) for one in tmp_path.iterdir() if one != path} == {0o600}

    assert (stat.S_IMODE(path.stat().st_mode), path.read_text()) == (0o600, "secret")


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    write_atomic(tmp_path / "link", "new")

    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_what_fails_leaves_the_old_file(tmp_path: Path) -> None:
    """A result of last week is worth more than half of today's."""
    path = tmp_path / "result.csv"
    path.write_text("last week")

    def fail(file: TextIO) -> None:
        file.write("half")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), atomic_writer(path) as file:
        fail(file)

    assert path.read_text() == "last week"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["missing/result.md", "folder", "file/result.md", "a" * 300])
def test_what_cannot_be_written_is_told_before_and_after(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    for attempt in (check_writable, partial(write_atomic, text="x")):
        with pytest.raises(UsageError, match="cannot be written") as caught:
            attempt(tmp_path / name)
        assert caught.value.hint

    assert {path.name for path in tmp_path.iterdir()} == {"folder", "file"}


def test_a_pipe_is_written_directly(tmp_path: Path) -> None:
    """``--save >(tool)`` and /dev/stdout have nothing to replace."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    with pipe.open("w"):  # keeps the reader there: a check must not look like the end of the file
        check_writable(pipe)
        write_atomic(pipe, "through\n")
    reader.join()

    assert read == ["through\n"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_an_undecodable_name_does_not_end_the_writing(tmp_path: Path) -> None:
    write_atomic(tmp_path / "x.md", "caf\udce9")

    assert (tmp_path / "x.md").read_text() == "caf\\udce9"
