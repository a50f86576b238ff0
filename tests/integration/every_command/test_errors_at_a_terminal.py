"""Errors and hints fold at a terminal as reports do, and stay one line each for a program that reads them."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.terminal import on_terminal

_SPARKTUNE = [sys.executable, "-m", "sparktune"]
_CASES = {
    "an address where nobody listens": ("quality", "http://127.0.0.1:9/v1"),
    "a command line": ("watch", "--nodes", "spark1", "--nodes", "spark2"),
    "a file that is not there": ("place", "scan", "--top", "no-such-file"),
    "an id": ("runs", "show", "no-such-run"),
}
_NEVER_CUT = ("top -H -b -n 1 > FILE", "http://HOST:8000/v1")


@pytest.mark.parametrize("width", [40, 80])
@pytest.mark.parametrize("name", _CASES)
def test_they_fold_where_a_person_reads(name: str, width: int) -> None:
    piped = subprocess.run([*_SPARKTUNE, *_CASES[name]], capture_output=True, text=True, check=False, timeout=100)
    shown = on_terminal([*_SPARKTUNE, *_CASES[name]], size=(width, 24), environment={"NO_COLOR": "1"})

    lines = shown.text.replace("\r\n", "\n").splitlines()
    assert [line.partition(":")[0] for line in piped.stderr.splitlines()] == ["error", "hint"]
    assert " ".join(shown.text.split()) == " ".join(piped.stderr.split())
    assert all(len(line) <= width or len(line.split()) == 1 for line in lines), "a path is one word"
    assert all(line.startswith(("error: ", "hint: ", "    ")) for line in lines)
    for words in _NEVER_CUT:
        assert (words in piped.stderr) == (words in shown.text)
    assert (shown.code, piped.stdout) == (piped.returncode, "")


@pytest.mark.parametrize("words", [("doctor",), ("lint", "node.env"), ("export", "prometheus")], ids=" ".join)
def test_a_node_that_does_not_answer_is_said_to_be_awaited(words: tuple[str, ...], tmp_path: Path) -> None:
    """One that is off costs ten seconds and more, and a silent terminal looks like a program that hangs."""
    mute = tmp_path / "ssh"
    shown_by_now = tmp_path / "shown"
    # It ends when the line was seen, and by itself where that never happens.
    mute.write_text(f"#!/bin/sh\nfor _ in $(seq 900); do [ -e {shown_by_now} ] && exit 255; sleep 0.1; done\n")
    mute.chmod(0o755)
    (tmp_path / "node.env").write_text("NCCL_IB_HCA=rocep1s0f1\n")
    nodes = ("--node" if words[0] == "lint" else "--nodes", "far1,far2")

    shown = on_terminal(
        [*_SPARKTUNE, *words, *nodes],
        press=[("waiting for far1, far2: ", shown_by_now.touch)],
        environment={"SPARKTUNE_SSH": str(mute)},
        folder=tmp_path,
    )

    assert shown.code == 1, shown.text
    *before, after = shown.text.split("\r\x1b[K")
    assert not any(text.strip() for text in before if not text.startswith("waiting for ")), shown.text
    assert "far1" in after
    assert "waiting" not in after


def test_a_width_that_is_told_folds_no_error_in_a_pipe() -> None:
    """A script that reads one line per error has COLUMNS, too, where a shell exports it."""
    done = subprocess.run(
        [*_SPARKTUNE, "quality", "http://127.0.0.1:9/v1"],
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
        env={"COLUMNS": "40", "PATH": "/usr/bin:/bin", "HOME": "/nonexistent"},
    )

    assert len(done.stderr.splitlines()) == 2
