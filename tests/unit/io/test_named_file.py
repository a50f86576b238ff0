"""A command that waits for ever looks like one that works; what a shell hands over as a pipe has to be read even so."""

import os
from pathlib import Path

import pytest

from sparktune.io import named_file
from sparktune.io.named_file import open_named


class _Descriptors:
    """What was opened and closed by number."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.opened: list[int] = []
        self.closed: list[int] = []
        opens, closes = os.open, os.close

        def opening(path: Path, flags: int) -> int:
            self.opened.append(opens(path, flags))
            return self.opened[-1]

        def closing(descriptor: int) -> None:
            self.closed.append(descriptor)
            closes(descriptor)

        monkeypatch.setattr(named_file.os, "open", opening)
        monkeypatch.setattr(named_file.os, "close", closing)


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(named_file, "_WAIT_S", 0.0)


def test_a_file_is_read_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"one\r\ntwo")

    with open_named(tmp_path / "x") as stream:
        assert stream.read() == b"one\r\ntwo"


def test_a_pipe_that_nobody_writes_to_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")

    with monkeypatch.context() as patched:
        descriptors = _Descriptors(patched)
        with pytest.raises(OSError, match="it is no regular file, and nothing was written to it within"):
            open_named(tmp_path / "pipe")

    assert descriptors.opened
    assert set(descriptors.opened) <= set(descriptors.closed)


def test_a_pipe_with_a_writer_is_read_to_its_end(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    writer = os.open(tmp_path / "pipe", os.O_RDWR)  # waits for no reader
    os.write(writer, b"what was written")

    with open_named(tmp_path / "pipe") as stream:
        os.close(writer)
        assert stream.read() == b"what was written"


def test_what_a_shell_hands_over_is_waited_for() -> None:
    """``<(slow command)`` is /dev/fd/63: its writer is there, and says nothing yet."""
    reader, writer = os.pipe()

    with open_named(Path(f"/dev/fd/{reader}")) as stream:
        os.write(writer, b"late")
        os.close(writer)
        os.close(reader)
        assert stream.read() == b"late"


def test_a_device_that_has_something_to_say_is_read() -> None:
    with open_named(Path("/dev/null")) as stream:
        assert stream.read() == b""


def test_a_folder_is_named_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        descriptors = _Descriptors(patched)
        with pytest.raises(IsADirectoryError) as caught:
            open_named(tmp_path)

    assert caught.value.strerror == "Is a directory"
    assert descriptors.opened
    assert set(descriptors.opened) <= set(descriptors.closed)


@pytest.mark.parametrize("name", ["missing", "loop"])
def test_what_is_not_there_is_an_error_as_of_any_open(tmp_path: Path, name: str) -> None:
    (tmp_path / "loop").symlink_to("loop")

    with pytest.raises(OSError, match=r"No such file|symbolic links"):
        open_named(tmp_path / name)
