"""What a shell and ``man`` get of the command line: names to complete, a manual page, a version to report."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.cli import run_sparktune
from tests.support.stored_experiment import store_experiment

from sparktune.io.store import Store

_ROOT = Path(__file__).resolve().parents[3]
# What a person types before the tabulator, asked of bash's own completion function.
_ASK = """
read -ra COMP_WORDS <<< "$LINE"
[[ $LINE == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_sparktune_completion "$STARTER"
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def starter(tmp_path: Path) -> Path:
    """A program of that name, as an installed one is."""
    path = tmp_path / "bin" / "sparktune"
    path.parent.mkdir()
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sparktune "$@"\n')
    path.chmod(0o755)
    return path


def _completed(line: str, starter: Path) -> set[str]:
    source = {**os.environ, "_SPARKTUNE_COMPLETE": "source_bash"}
    script = subprocess.run([starter], env=source, capture_output=True, text=True, check=True).stdout
    environment = {**os.environ, "LINE": line, "STARTER": str(starter)}
    done = subprocess.run(["bash", "-c", script + _ASK], env=environment, capture_output=True, text=True, check=True)  # noqa: S607
    return {word.strip() for word in done.stdout.splitlines()}


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("sparktune dri", {"drift"}),
        ("sparktune host re", {"revert"}),
        ("sparktune knobs show max_num_s", {"max_num_seqs"}),
        ("sparktune ab show 2611", {"261129-180000-exp"}),
        ("sparktune runs show 261129-175010", {"261129-175010-vis"}),
        ("sparktune doctor --nodes spark1,", {"spark1,spark2"}),
    ],
    ids=["a command", "below a group", "a knob", "an experiment", "a run", "a node"],
)
def test_bash_completes(
    line: str, offered: set[str], starter: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sparktune.yaml").write_text("nodes: [spark1, spark2]\n")
    monkeypatch.chdir(tmp_path)
    with Store.open() as store:
        store_experiment(store)

    assert _completed(line, starter) == offered


@pytest.mark.skipif(shutil.which("man") is None, reason="there is no man here")
def test_the_manual_page_has_every_command_and_no_fault_of_roff() -> None:
    page = _ROOT / "docs" / "reference" / "sparktune.1"
    environment = {**os.environ, "MANWIDTH": "80", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        ["man", "-l", "--warnings", page],  # noqa: S607
        env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert done.stderr == ""
    assert "sparktune host apply" in done.stdout


def test_the_version_says_what_a_report_of_a_fault_needs() -> None:
    first, *others = run_sparktune("--version").out.splitlines()

    assert first.split()[0] == "sparktune"
    assert len(first.split()) == 2, "scripts read the version from it"
    assert [line.split()[0] for line in others] == ["commit", "Python", "Linux", "JSON"]
    assert others[-1] == "JSON schema 1, store 7, agent protocol 1"
