"""Files of settings and links: what is refused, what is kept, what goes away again."""

import os
from pathlib import Path
from typing import Any

import pytest
from tests.support.steps import kind_named

from sparktune.agent.failures import StepFailed
from sparktune.agent.machines import machine_of
from sparktune.agent.tree import Tree

_PATH = "/etc/some.d/a.conf"


def _file(text: str | None, path: str = _PATH, mode: int = 0o644) -> dict[str, Any]:
    return {"kind": "file", "change": "test", "path": path, "text": text, "mode": mode, "expect": {}}


def _link(target: str | None, path: str = _PATH) -> dict[str, Any]:
    return {"kind": "link", "change": "test", "path": path, "target": target, "expect": {}}


@pytest.fixture(name="real")
def _real(tmp_path: Path) -> Path:
    real = tmp_path / _PATH.lstrip("/")
    real.parent.mkdir(parents=True)
    return real


def _refused(tmp_path: Path, step: dict[str, Any]) -> str:
    with pytest.raises(StepFailed) as refusal:
        kind_named(step["kind"]).look(machine_of(Tree(str(tmp_path))), step)
    return str(refusal.value)


def test_what_is_no_plain_file_is_refused(tmp_path: Path, real: Path) -> None:
    """Each of these would be destroyed, or would lead to a file that others use."""
    real.symlink_to("elsewhere.conf")
    assert (
        _refused(tmp_path, _file("x")) == f"{_PATH} is a link to elsewhere.conf: what it leads to may be used by others"
    )
    real.unlink()
    os.mkfifo(real)
    assert _refused(tmp_path, _file("x")) == f"{_PATH} is neither a file nor a link"
    real.unlink()
    real.write_text("x" * (1024 * 1024 + 1))
    assert _refused(tmp_path, _file("x")) == f"{_PATH} is longer than 1048576 bytes"
    real.write_text("old")
    (real.parent / "second name").hardlink_to(real)
    assert "2 names (hard links)" in _refused(tmp_path, _file("x"))


def test_what_could_not_be_looked_at_afterwards_is_not_written(tmp_path: Path, real: Path) -> None:
    """It would be somebody else's when it is to be taken back."""
    assert _refused(tmp_path, _file("x" * (1024 * 1024 + 1))) == f"{_PATH} would be longer than 1048576 bytes"
    assert not real.exists()


@pytest.mark.parametrize("mode", [-1, 0o6755, 10**9])
def test_a_mode_is_one_of_a_file_of_settings(tmp_path: Path, mode: int) -> None:
    assert "which is none of a file of settings" in _refused(tmp_path, _file("x", mode=mode))


def test_a_file_is_no_link(tmp_path: Path, real: Path) -> None:
    real.write_text("old")
    assert _refused(tmp_path, _link("x")) == f"{_PATH} is a file, not a link"


def test_a_file_keeps_its_mode_and_a_new_one_gets_its_own(tmp_path: Path, real: Path) -> None:
    """The mode of a new file does not depend on who runs the agent with which umask."""
    machine, kind = machine_of(Tree(str(tmp_path))), kind_named("file")
    old = os.umask(0o077)
    try:
        kind.do(machine, _file("x", mode=0o664), {_PATH: None})
        assert real.stat().st_mode & 0o7777 == 0o664
        kind.do(machine, _file("y", mode=0o600), kind.look(machine, _file("y")))
        assert real.stat().st_mode & 0o7777 == 0o664
        new = _file("z", "/etc/new.d/b.conf")
        kind.do(machine, new, kind.look(machine, new))
        assert (tmp_path / "etc/new.d").stat().st_mode & 0o7777 == 0o755
    finally:
        os.umask(old)


def test_a_folder_with_somebody_elses_file_stays(tmp_path: Path) -> None:
    machine, kind, step = machine_of(Tree(str(tmp_path))), kind_named("file"), _file("x", "/etc/a/b/c.conf")
    before = kind.look(machine, step)
    assert before == {"/etc/a/b/c.conf": {"missing": ["/etc", "/etc/a", "/etc/a/b"]}}
    kind.do(machine, step, before)
    (tmp_path / "etc/a/theirs").write_text("")
    kind.put_back(machine, step, "/etc/a/b/c.conf", before["/etc/a/b/c.conf"])
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a", "etc", "theirs"]


def test_an_edit_between_looking_and_doing_is_kept(tmp_path: Path, real: Path) -> None:
    machine, kind = machine_of(Tree(str(tmp_path))), kind_named("file")
    real.write_text("old")
    before = kind.look(machine, _file("new"))
    real.write_text("edited")
    with pytest.raises(StepFailed, match="changed by somebody else at this moment"):
        kind.do(machine, _file("new"), before)
    assert real.read_text() == "edited"


def test_a_leftover_of_a_killed_run_is_replaced_and_goes_away(tmp_path: Path, real: Path) -> None:
    machine, kind = machine_of(Tree(str(tmp_path))), kind_named("file")
    leftover = real.parent / ".a.conf.sparktune"
    leftover.write_text("half a te")
    kind.do(machine, _file("whole"), {_PATH: None})
    assert real.read_text() == "whole"
    assert not leftover.exists()
    leftover.write_text("half a te")
    kind.tidy(machine, _file("whole"), _PATH, None)
    assert not leftover.exists()


def test_same_and_reached(tmp_path: Path, real: Path) -> None:
    """Another time is no change, another mode is: it is somebody's decision, and must not be overwritten unseen."""
    machine, kind, step = machine_of(Tree(str(tmp_path))), kind_named("file"), _file("x")
    real.write_text("x")
    one = kind.look(machine, step)[_PATH]
    os.utime(real, ns=(5, 5))
    assert kind.same(step, one, kind.look(machine, step)[_PATH])
    real.chmod(0o600)
    now = kind.look(machine, step)[_PATH]
    assert not kind.same(step, one, now)
    assert kind.reached(step, _PATH, now)
    assert kind.same(step, None, {"missing": ["/etc"]})
    assert (kind.shown(now), kind.shown(None), kind.shown({"missing": ["/etc"]})) == ("x", None, None)


def test_bytes_that_are_no_text_come_back(tmp_path: Path, real: Path) -> None:
    machine, kind, step = machine_of(Tree(str(tmp_path))), kind_named("file"), _file("x")
    real.write_bytes(b"caf\xe9\n")
    before = kind.look(machine, step)
    assert kind.shown(before[_PATH]) == "caf\ufffd\n"
    kind.do(machine, step, before)
    kind.put_back(machine, step, _PATH, before[_PATH])
    assert real.read_bytes() == b"caf\xe9\n"


def test_the_default_target_is_answered_from_its_link(tmp_path: Path) -> None:
    """A tree whose link was not captured answers as before when the new link is gone."""
    answer = tmp_path / "commands/systemctl-get-default.txt"
    answer.parent.mkdir()
    answer.write_text("graphical.target\n")
    machine, kind = machine_of(Tree(str(tmp_path))), kind_named("link")
    path = "/etc/systemd/system/default.target"
    step = _link("/usr/lib/systemd/system/multi-user.target", path)
    before = kind.look(machine, step)
    kind.do(machine, step, before)
    assert answer.read_text() == "multi-user.target\n"
    kind.put_back(machine, step, path, before[path])
    assert answer.read_text() == "graphical.target\n"
    assert not (tmp_path / "etc").exists()
