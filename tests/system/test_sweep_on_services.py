"""A sweep of a service on a real docker and on a real systemd: killed, taken back, gone on with, its winner kept."""

import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from tests.support.ab import GUARD, WORKLOAD
from tests.support.cli import run_sparktune
from tests.support.compose_project import compose_project
from tests.support.nspawn import booted_node
from tests.support.swept_services import SweptService, compose_swept, unit_swept

from sparktune.experiment.plan import VisitState
from sparktune.io.store import Store
from sparktune.model.sweep import BASELINE, SweepVisit

pytestmark = [pytest.mark.root, pytest.mark.slow, pytest.mark.timeout(900)]
_ROOT = Path(__file__).resolve().parents[2]
_LIMIT_S = 800.0
_BROKEN, _BETTER = "env:ITL_MS=900", "env:ITL_MS=2"  # thirty times as fast, far above the noise of any machine


@pytest.fixture(params=["compose", "systemd"])
def service(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SweptService]:
    with ExitStack() as stack:
        if request.param == "compose":
            project = stack.enter_context(compose_project())
            folder = stack.enter_context(project.in_folder(tmp_path / "service"))
            yield stack.enter_context(compose_swept(folder))
        else:
            yield stack.enter_context(unit_swept(stack.enter_context(booted_node("swept"))))


def _file(folder: Path, service: SweptService) -> Path:
    content: dict[str, Any] = {
        "name": "a service",
        **service.content,
        "knobs": {"env:ITL_MS": [900, 2]},
        "workload": WORKLOAD,
        "race_blocks": 1,
        "confirm_blocks": 3,
        "seed": 1,
        "guard": GUARD,
    }
    path = folder / "sweep.yaml"
    with path.open("w", encoding="utf-8") as file:
        YAML(typ="safe", pure=True).dump(content, file)
    return path


def _killed(path: Path) -> tuple[str, tuple[SweepVisit, ...]]:
    """Let a sweep die in the middle of a visit of a configuration; return its id and the visits before."""
    argv = [sys.executable, "-m", "tests.integration.ab.child", "create_run:2", "sweep", str(path), "--yes"]
    ended = subprocess.run(argv, cwd=_ROOT, capture_output=True, text=True, timeout=_LIMIT_S, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    with Store.open() as store:
        (record,) = store.list_sweeps(5)
        assert store.held(record.id), "it died while it held the service"
        return record.id, store.sweep_visits(record.id)


def test_a_kill_costs_nothing_and_the_confirmed_winner_stays(tmp_path: Path, service: SweptService) -> None:
    files = service.read()
    sweep, before = _killed(_file(tmp_path, service))
    assert [one.key for one in before if one.key == BASELINE], "the baseline was measured before the kill"

    restored = run_sparktune("sweep", "resume", sweep, "--restore-only", limit_s=_LIMIT_S)
    assert restored.code == 0, restored.err
    assert service.read() == files
    assert service.served_ms() == service.now_ms

    earned = tmp_path / "earned.yaml"
    words = ("--yes", "--json", "--accept", "--earned", str(earned))
    finished = run_sparktune("sweep", "resume", sweep, *words, limit_s=_LIMIT_S)
    assert finished.code == 0, finished.err
    result = finished.json

    assert (result["verdict"], result["winner"]) == ("winner", _BETTER)
    told = {visit["key"]: (visit["end"], visit["why"]) for visit in result["visits"]}
    assert told[_BROKEN][0] == "infeasible"
    assert "CUDA has no memory left" in told[_BROKEN][1], "the first failure that its own log has"
    _check_visits(sweep, before)
    assert service.served_ms() == 2.0
    changed = {name for name, text in service.read().items() if files.get(name) != text}
    assert len(changed) == 1, "the winner's setting is in one file, and no other was touched"
    assert "ITL_MS" in earned.read_text()


def _check_visits(sweep: str, before: tuple[SweepVisit, ...]) -> None:
    with Store.open() as store:
        after, records = store.sweep_visits(sweep), store.visits(sweep)
        assert not store.held(sweep)
    assert after[: len(before)] == before
    assert set(Counter(one.block for one in records if one.state is VisitState.DONE).values()) == {1}
    assert Counter(visit.key for visit in after)[_BROKEN] == 1
