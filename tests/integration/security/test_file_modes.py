"""Who else has an account on the machine reads nothing of what is kept: prompts, answers, journals, plans."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.cli import run_sparktune

from sparktune.io.reference.process import ReferenceProcess

_SHORT = ("--prompt-tokens", "16", "--output-tokens", "4", "--warmup", "0")


@pytest.fixture(autouse=True)
def _usual_umask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    """What most machines have, under which a careless program's files can be read by all."""
    monkeypatch.setenv("SPARKTUNE_DATA", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    old = os.umask(0o022)
    yield
    os.umask(old)


def _open_to_others(folder: Path) -> dict[str, str]:
    """Return what others may look into, below a folder and itself."""
    found = {}
    for path in (folder, *folder.rglob("*")):
        mode = path.lstat().st_mode
        wanted = 0o700 if stat.S_ISDIR(mode) else 0o600
        if stat.S_IMODE(mode) & ~wanted:
            found[str(path.relative_to(folder))] = stat.filemode(mode)
    return found


def test_the_store_of_a_run_is_private(reference: ReferenceProcess, tmp_path: Path) -> None:
    done = run_sparktune("bench", reference.base_url, *_SHORT, "--trials", "1")

    assert done.code in {0, 5}, done.err
    assert list((tmp_path / "data").rglob("*.sqlite3"))
    assert _open_to_others(tmp_path / "data") == {}


def test_a_store_is_private_while_it_is_written(reference: ReferenceProcess, tmp_path: Path) -> None:
    """SQLite's side files and the spool are there only meanwhile; a look after the end would miss them."""
    command = (sys.executable, "-m", "sparktune", "bench", reference.base_url, *_SHORT, "--trials", "5")
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    seen: set[str] = set()
    faults: dict[str, str] = {}
    while process.poll() is None:
        for path in (tmp_path / "data").rglob("*"):
            try:
                mode = path.lstat().st_mode
            except FileNotFoundError:
                continue
            seen.add(path.name)
            if stat.S_IMODE(mode) & 0o077:
                faults[path.name] = stat.filemode(mode)

    assert any(name.endswith("-wal") for name in seen), seen
    assert faults == {}


def test_journal_agent_and_plan_are_private(tmp_path: Path) -> None:
    """The journal holds whole files as they were before; who can write the agent's archive is root at the next undo."""
    assert run_sparktune("lab", "init", "lab").code == 0
    plan = run_sparktune("host", "plan", "--root", "lab/spark1", "--allow-slow", "--save", "plan.json")
    done = run_sparktune("host", "apply", "--root", "lab/spark1", "--plan", "plan.json", "--yes")
    home = tmp_path / "lab/spark1/var/lib/sparktune"

    assert (plan.code, done.code) == (3, 3), plan.err + done.err
    assert [path.name for path in home.iterdir() if path.name in {"agent.pyz", "txn"}]
    assert list(home.rglob("journal*")), list(home.rglob("*"))
    assert _open_to_others(home) == {}
    assert stat.S_IMODE((tmp_path / "plan.json").stat().st_mode) == 0o600
