"""A file or link that somebody replaced by something of another kind is theirs, like any other edit, and left."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sparktune.agent.engine import Engine
from sparktune.agent.tree import Tree

_FILE = {"kind": "file", "change": "test", "path": "/etc/a.conf", "text": "ours", "mode": 0o644, "expect": {}}
_LINK = {"kind": "link", "change": "test", "path": "/etc/a.conf", "target": "/etc/ours", "expect": {}}
_OTHER = {"kind": "file", "change": "test", "path": "/etc/b.conf", "text": "ours", "mode": 0o644, "expect": {}}


def _become(make: Callable[[Path], Any]) -> Callable[[Path], None]:
    def replace(path: Path) -> None:
        path.unlink()
        make(path)

    return replace


def _full_folder(path: Path) -> None:
    path.mkdir()
    (path / "theirs").write_text("theirs")


@pytest.mark.parametrize(
    ("step", "edit", "found"),
    [
        (_FILE, _become(lambda path: path.symlink_to("/etc/shadow")), "a link to /etc/shadow"),
        (_FILE, _become(Path.mkdir), "neither a file nor a link"),
        (_FILE, _become(_full_folder), "neither a file nor a link"),
        (_FILE, _become(os.mkfifo), "neither a file nor a link"),
        (_FILE, lambda path: path.with_name("c.conf").hardlink_to(path), "a file with 2 names"),
        (_FILE, lambda path: path.write_text("x" * (1024 * 1024 + 1)), "more than 1048576 bytes"),
        (_LINK, _become(lambda path: path.write_text("theirs")), "a file"),
        (_LINK, _become(_full_folder), "neither a file nor a link"),
        (_LINK, _become(lambda path: path.symlink_to(os.fsdecode(b"\xff"))), "a link to a name that is no text"),
    ],
)
def test_it_is_left_and_told_and_the_rest_is_undone(
    tmp_path: Path, step: dict[str, Any], edit: Callable[[Path], None], found: str
) -> None:
    """An undo that never ends would also keep whoever comes next from applying anything."""
    (tmp_path / "etc").mkdir()
    Engine(Tree(str(tmp_path)), b"the agent").transact({"steps": [step, _OTHER]})
    edit(tmp_path / "etc/a.conf")

    undone, end = Engine(Tree(str(tmp_path)), b"the agent").revert({})

    said = undone[0]["steps"][-1]["items"]["/etc/a.conf"]
    assert end["state"] == "reverted"
    assert (said["outcome"], said["found"], said["wanted"]) == ("foreign", found, None)
    assert os.path.lexists(tmp_path / "etc/a.conf")
    assert not (tmp_path / "etc/b.conf").exists()
    assert Engine(Tree(str(tmp_path)), b"the agent").revert({})[1]["state"] == "nothing"
