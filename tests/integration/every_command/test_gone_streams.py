"""Streams that are full, closed or read by nobody, for commands of every kind: said in words, with nothing lost unsaid.

A cron job may start with a closed stdin, a report may be sent to a full disk, a pager may be left after its first line.
"""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.in_process import invoke
from tests.support.ports import free_port

_PRINTING = ("--help", "--version", "knobs list", "knobs list --json", "export alerts", "doctor --nodes {lab}/spark1")
_ASKING = (
    "host apply --nodes {lab}/spark1",
    "host revert --nodes {lab}/spark1",
    "place pin --nodes {lab}/spark1",
    "place unpin --nodes {lab}/spark1",
    "place trial 1@{lab}/spark1",
    "earned forget LAB_MAX_INFLIGHT_PREFILLS --earned {lab}/service/earned.yaml",
)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gone") / "lab"
    assert invoke("lab", "init", str(folder), "--port", str(free_port())).code == 0
    return folder


def _shell(words: str, end: str) -> subprocess.CompletedProcess[str]:
    line = f"{sys.executable} -m sparktune {words} {end}"
    return subprocess.run(
        ["/bin/bash", "-o", "pipefail", "-c", line], capture_output=True, text=True, timeout=100, check=False
    )


@pytest.mark.parametrize("words", _PRINTING)
def test_a_full_disk_behind_stdout_is_never_a_success(words: str, lab: Path) -> None:
    """Small output stays in a buffer until the end, and typer tries a stream out before it writes."""
    done = _shell(words.format(lab=lab), "> /dev/full")

    assert done.returncode == 1
    assert done.stderr.startswith("error: the output cannot be written: No space left on device\nhint: ")


@pytest.mark.parametrize("words", ["export dashboard", "knobs list", "doctor --nodes {lab}/spark1"])
def test_a_reader_that_has_seen_enough_is_no_error(words: str, lab: Path) -> None:
    done = _shell(words.format(lab=lab), "| head -1")

    assert done.returncode in {0, 3}
    assert len(done.stdout.splitlines()) == 1
    assert "rror" not in done.stderr


@pytest.mark.parametrize("words", _ASKING)
def test_with_a_closed_stdin_nobody_is_asked(words: str, lab: Path) -> None:
    done = _shell(words.format(lab=lab), "<&-")

    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-2].startswith("error: ")
    assert done.stderr.splitlines()[-1].startswith("hint: add --yes")


@pytest.mark.parametrize("words", ["logs -", "lint -"])
def test_what_is_read_from_a_closed_stdin_is_empty(words: str) -> None:
    done = _shell(words, "<&-")

    assert done.returncode == 2
    assert "empty" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_command_of_guard_gets_no_file_of_ours_for_its_closed_stdin(lab: Path) -> None:
    done = _shell(f"guard --quiet --nodes {lab}/spark1 -- cat", "<&-")

    assert (done.returncode, done.stdout) == (0, "")
    assert "Bad file descriptor" not in done.stderr
