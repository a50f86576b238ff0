"""Errors and hints fold at a terminal as reports do, and stay one line each for a program that reads them."""

import subprocess
import sys

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
