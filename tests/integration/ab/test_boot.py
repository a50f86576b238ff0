"""An arm that counts at a boot, from the command line: written and left so, refused before the boot, taken back."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.ab import GUARD, WORKLOAD, write_experiment
from tests.support.cli import run_sparktune

from sparktune.io.reference.process import ReferenceProcess
from sparktune.io.store import Store

pytestmark = pytest.mark.slow

_FILE = "etc/x.conf"


def _content(url: str) -> dict[str, Any]:
    """Return an experiment on a captured tree in the place of this machine: nothing can boot it."""
    step = {"node": "tree", "kind": "file", "path": f"/{_FILE}", "text": "new"}
    return {
        "url": url,
        "launcher": "boot",
        "a": {},
        "b": {"steps": [step]},
        "live": {"http": "/__cfg", "keys": "itl_ms", "A": "10.0", "B": "10.0"},
        "workload": WORKLOAD,
        "max_blocks": 1,
        "seed": 2,  # begins with arm B
        "guard": GUARD,
    }


def test_it_stays_written_until_the_boot_and_can_be_taken_back(
    tmp_path: Path, reference: ReferenceProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sparktune.yaml").write_text("nodes: [{name: tree, host: ./tree}]\n")
    root = tmp_path / "tree"
    (root / "etc").mkdir(parents=True)
    path = write_experiment(tmp_path, _content(reference.base_url))

    refused = run_sparktune("ab", str(path), "--yes")
    assert refused.code == 2
    assert "allow it with --allow-reboot" in refused.err
    assert not (root / _FILE).exists()

    written = run_sparktune("ab", str(path), "--yes", "--allow-reboot")
    assert written.code == 5, written.err
    assert "the arm is written, and counts when this machine has booted" in written.err
    assert "sparktune ab resume" in written.err
    assert (root / _FILE).read_text() == "new"
    with Store.open() as store:
        (row,) = store.list_experiments(1)
        (visit,) = store.visits(row.id)
    assert row.holds
    assert visit.state.value == "booting"

    early = run_sparktune("ab", "resume", "--yes", "--allow-reboot")
    assert early.code == 2
    assert "arm B counts when this machine has booted, and it has not since" in early.err
    assert (root / _FILE).exists()

    back = run_sparktune("ab", "resume", "--restore-only", "--yes", "--allow-reboot")
    assert back.code == 0, back.err
    assert "the files of the original are back; they count when this machine has booted" in back.err
    assert not (root / _FILE).exists()
