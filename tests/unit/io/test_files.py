"""Files that a user names: never half written, never found out too late."""

import os
import stat
import threading
from functools import partial
from pathlib import Path
from typing import TextIO

import pytest
from tests.support.killed import killed_after

from sparktune.errors import UsageError
from sparktune.io.files import atomic_writer, check_writable, write_atomic, write_atomic_bytes, write_new


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


@pytest.mark.parametrize("mode", [0o600, 0o400, 0o664])
def test_nobody_reads_of_a_draft_who_may_not_read_the_file(tmp_path: Path, mode: int) -> None:
    """A compose file with passwords is 0600 for a reason, also in the second in which it is written anew."""
    path = tmp_path / "compose.yaml"
    path.touch()
    path.chmod(mode)

    with atomic_writer(path) as file:
        file.write("secret")
        (draft,) = [one for one in tmp_path.iterdir() if one != path]
        assert stat.S_IMODE(draft.stat().st_mode) & ~(mode | 0o200) == 0

    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a file to somebody else")
def test_sudo_does_not_take_a_file_away(tmp_path: Path) -> None:
    """What root writes for a user stays that user's: else the next edit of the file is refused."""
    path = tmp_path / "earned.yaml"
    path.write_text("old")
    os.chown(path, 1234, 1235)
    path.chmod(0o664)

    for write in (partial(write_atomic, text="new"), partial(write_atomic_bytes, data=b"new", keep_owner=True)):
        write(path)
        now = path.stat()
        assert (now.st_uid, now.st_gid, stat.S_IMODE(now.st_mode), path.read_text()) == (1234, 1235, 0o664, "new")
    write_atomic(path, "password", private=True)
    assert (path.stat().st_uid, stat.S_IMODE(path.stat().st_mode)) == (0, 0o600), "a private one is the writer's"


def test_whoever_may_not_give_a_file_away_still_writes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A colleague of the same group writes, too; what has to keep its owner is left as it is."""
    path = tmp_path / "earned.yaml"
    path.write_text("old")
    path.chmod(0o664)
    _others(monkeypatch, path)

    write_atomic(path, "new")
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("new", 0o664)
    with pytest.raises(UsageError, match="not permitted"):
        write_atomic_bytes(path, b"newer", keep_owner=True)
    assert path.read_text() == "new"


def _others(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    """Let a file be somebody else's, and nothing be given away."""
    real = Path.stat

    def seen(self: Path, **options: bool) -> os.stat_result:
        found = real(self, **options)
        if self != path:
            return found
        fields = list(found)[:10]
        fields[4] = found.st_uid + 1
        return os.stat_result(fields)

    def refused(*_arguments: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "stat", seen)
    monkeypatch.setattr(os, "chown", refused)


def test_a_new_file_is_made_once(tmp_path: Path) -> None:
    """Who answers a question a minute later must not lose what was written there in that minute."""
    path = tmp_path / "sparktune.yaml"
    write_new(path, "ours\n")
    assert (path.read_text(), path.stat().st_nlink) == ("ours\n", 1)
    with pytest.raises(UsageError, match="written by somebody else meanwhile") as caught:
        write_new(path, "again\n")
    assert caught.value.hint
    (tmp_path / "link").symlink_to("beyond")
    write_new(tmp_path / "link", "beyond\n")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["beyond", "link", "sparktune.yaml"]
    assert ((tmp_path / "beyond").read_text(), path.read_text()) == ("beyond\n", "ours\n")


def test_a_new_file_is_made_where_there_are_no_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """FAT and some network mounts have none."""

    def none(*_arguments: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", none)
    write_new(tmp_path / "a", "ours\n")
    with pytest.raises(UsageError, match="written by somebody else meanwhile"):
        write_new(tmp_path / "a", "again\n")
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("a", "ours\n")]


@pytest.mark.parametrize("writer", [write_atomic, write_new])
def test_killed_at_any_change_the_old_file_or_the_new_one_is_there(tmp_path: Path, writer: object) -> None:
    """Half of a file is worse than none of it."""
    before = "old\n" if writer is write_atomic else None
    seen = set[str | None]()
    for changes in range(20):
        folder = tmp_path / str(changes)
        folder.mkdir()
        path = folder / "file.yaml"
        if before is not None:
            path.write_text(before)
        with killed_after(changes) as killed:
            writer(path, "new\n")  # type: ignore[operator]
        now = path.read_text() if path.exists() else None
        assert now in {before, "new\n"}
        seen.add(now)
        if not killed.killed:
            break
    assert not killed.killed, "it is walked over to its end"
    assert seen == {before, "new\n"}


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
