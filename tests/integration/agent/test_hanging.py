"""A sick node is the one that is looked at: what hangs there must not hide the rest."""

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sparktune.agent import files
from sparktune.agent.commands import Commands
from sparktune.agent.observe import Observer
from sparktune.agent.patience import read_patiently
from sparktune.agent.results import Result, present
from sparktune.agent.tree import Tree

_ASK = {"kind": "files", "lines": [], "most_files": 100, "most_bytes": 100}


@pytest.fixture(name="hanging")
def _hanging(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[str]]:
    """Let opening a file whose name is in the set block, as the command line of a process in a driver does."""
    names: set[str] = set()
    over = threading.Event()
    really_open = files.open_regular

    def open_regular(path: str) -> int | None:
        if Path(path).name in names:
            over.wait()
        return really_open(path)

    monkeypatch.setattr(files, "open_regular", open_regular)
    yield names
    over.set()


def _observed(tree: Tree, *asks: dict[str, Any]) -> list[dict[str, Any]]:
    return sorted(Observer(tree, None).observe(list(asks)), key=lambda result: result["index"])


def test_a_file_that_hangs_is_unreadable_and_the_others_are_read(tmp_path: Path, hanging: set[str]) -> None:
    for name in ("1", "2", "3"):
        (tmp_path / name).write_text(name)
    hanging.add("2")
    one = {"kind": "file", "path": f"{tmp_path}/2", "most_bytes": 100}

    many, again = _observed(Tree(), {**_ASK, "pattern": f"{tmp_path}/*"}, one)

    assert many["value"] == {
        f"{tmp_path}/1": present("1"),
        f"{tmp_path}/2": {"state": "unreadable", "why": "it does not answer"},
        f"{tmp_path}/3": present("3"),
    }
    assert (again["state"], again["why"]) == ("unreadable", "it does not answer")


def test_where_everything_hangs_the_pattern_is_given_up(tmp_path: Path, hanging: set[str]) -> None:
    for number in range(8):
        (tmp_path / str(number)).write_text("x")
        hanging.add(str(number))
    tree = Tree()
    ask = {**_ASK, "pattern": f"{tmp_path}/*"}

    result = read_patiently(tree, lambda: files.read_files(tree, ask), patience_s=0.02)

    assert result == {"state": "unreadable", "why": "it does not answer"}


def test_what_hangs_for_one_process_is_not_tried_again_for_it(hanging: set[str]) -> None:
    """Its environment is behind the same lock as its command line; each try costs seconds."""
    hanging.add("cmdline")
    tree, own = Tree(), f"/proc/{os.getpid()}"
    ask = {"path": f"{own}/cmdline", "most_bytes": 100_000}

    read_patiently(tree, lambda: files.read_file(tree, ask), patience_s=0.02)

    why = {"state": "unreadable", "why": "it does not answer"}
    assert files.read_file(tree, {**ask, "path": f"{own}/environ"}) == why
    assert files.read_file(tree, {**ask, "path": f"{own}/status"})["state"] == "present"


def test_a_read_that_is_only_long_is_waited_for() -> None:
    """Many files take longer than one may hang."""
    tree, go_on = Tree(), threading.Event()

    def read() -> Result:
        for number in range(20):
            tree.real(f"/{number}")
            go_on.wait(0.01)
        return present("all")

    assert read_patiently(tree, read, patience_s=0.05) == present("all")
    assert tree.hung == set()


@pytest.mark.filterwarnings("ignore:subprocess:ResourceWarning")
def test_a_command_that_cannot_be_ended_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Like a query of a GPU whose driver hangs; here it is only kept from being killed."""
    script = tmp_path / "nvidia-smi"
    script.write_text("#!/bin/sh\nexec sleep 1000\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    spared: list[int] = []
    monkeypatch.setattr(os, "killpg", lambda group, _signal: spared.append(group))
    ask = {"argv": ["nvidia-smi"], "arguments_from": [], "limit_s": 0.2, "most_bytes": 100}

    result = Commands(Tree()).run(ask)

    monkeypatch.undo()
    (group,) = spared
    os.killpg(group, signal.SIGKILL)
    assert result == {"state": "unreadable", "why": "it hangs in the kernel and cannot be ended"}
