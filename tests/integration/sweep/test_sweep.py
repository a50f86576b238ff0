"""A sweep on servers of known speed: what is tried, what is left out, what is confirmed, and what is left behind."""

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from tests.support.ab import GUARD, SLOW, WORKLOAD, listens, server_argv
from tests.support.cli import Finished, run_sparktune
from tests.support.ports import free_port

from sparktune.experiment.plan import VisitState
from sparktune.io.store import Store
from sparktune.model.sweep import BASELINE, Stage, SweepState, VisitEnd

_ROOT = Path(__file__).resolve().parents[3]
_LIMIT_S = 100.0
_STEP = "flag:--itl-ms"


@pytest.fixture
def port() -> int:
    return free_port()


def _sweep(port: int, **changes: Any) -> dict[str, Any]:  # noqa: ANN401 - as a file may say
    """Return a sweep over the time per token of a server of our own, with one value that it refuses."""
    return {
        "name": "step time",
        "url": f"http://127.0.0.1:{port}/v1",
        "launcher": "command",
        "baseline": {"command": server_argv(port, SLOW)},
        "knobs": {_STEP: ["4", "none", SLOW]},
        "workload": WORKLOAD,
        "race_blocks": 1,
        "pairs": False,
        "confirm_blocks": 3,
        "seed": 1,
        "guard": GUARD,
        **changes,
    }


def _file(folder: Path, content: dict[str, Any]) -> Path:
    path = folder / "sweep.yaml"
    with path.open("w", encoding="utf-8") as file:
        YAML(typ="safe", pure=True).dump(content, file)
    return path


def _run(folder: Path, content: dict[str, Any], *flags: str) -> Finished:
    return run_sparktune("sweep", str(_file(folder, content)), *flags, limit_s=_LIMIT_S)


def test_the_better_configuration_is_confirmed_and_what_does_not_start_is_told(tmp_path: Path, port: int) -> None:
    finished = _run(tmp_path, _sweep(port), "--yes", "--json")
    result = finished.json

    assert finished.code == 0, finished.err
    assert (result["verdict"], result["winner"]) == ("winner", f"{_STEP}=4")
    assert result["confirmation"]["verdict"] == "IMPROVED"
    assert result["confirmation"]["effect"]["low"] > 1
    ends = {visit["key"]: (visit["end"], visit["why"]) for visit in result["visits"]}
    assert ends[f"{_STEP}=none"][0] == "infeasible"
    assert "Expected `float`" in ends[f"{_STEP}=none"][1]
    assert f"{_STEP}={SLOW}" not in ends, "the baseline's own value is the baseline"
    assert f"sparktune earned accept {result['confirmation']['run']}" in result["next"]
    assert not listens(port)


# Its command line is the arm's: a wrapper that starts another one would be refused.
_TRADES = """
import runpy, sys
quick = float(sys.argv[sys.argv.index("--itl-ms") + 1]) < 10
sys.argv += ["--ttft-ms", "50" if quick else "5"]
runpy.run_module("sparktune.io.reference", run_name="__main__")
"""


def test_a_gain_at_the_price_of_a_guard_is_no_winner_and_is_not_kept(tmp_path: Path, port: int) -> None:
    """Whoever runs it at night with --accept, and reads the exit code in the morning, must not serve with it."""
    server = tmp_path / "trades.py"
    server.write_text(_TRADES)
    command = [sys.executable, str(server), "--port", str(port), "--itl-ms", SLOW]
    content = _sweep(port, baseline={"command": command}, knobs={_STEP: ["4"]}, guards=["ttft_s:0.1"])
    finished = _run(tmp_path, content, "--yes", "--accept", "--json", "--earned", str(tmp_path / "earned.yaml"))
    shown = run_sparktune("sweep", "show")

    assert (finished.code, shown.code) == (5, 5), finished.err
    result = finished.json
    assert result["verdict"] == "none"
    assert result["confirmation"]["verdict"] == "IMPROVED"
    assert [one["status"] for one in result["confirmation"]["guards"]] == ["harmed"]
    assert shown.out.startswith(
        f"NO WINNER: {_STEP}=4 gains at the price of a guard; IMPROVED, but guard ttft_s is WORSE"
    )
    assert "WINNER, confirmed" not in shown.out
    assert not any("earned accept" in step for step in result["next"])
    assert not (tmp_path / "earned.yaml").exists()
    assert not listens(port)
    (row,) = [one for one in run_sparktune("ab", "list", "--json").json["experiments"] if one["verdict"]]
    assert row["why"].startswith("guard ttft_s is WORSE (+")


def test_a_dry_run_starts_nothing_and_keeps_nothing(tmp_path: Path, port: int) -> None:
    finished = _run(tmp_path, _sweep(port, knobs={_STEP: [4, 8], "flag:--ttft-ms": [3]}), "--dry-run", "--budget", "2h")

    assert finished.code == 0, finished.err
    assert "screening: 3 configurations" in finished.out
    assert "the budget of 2 h 00 min ends the choosing" in " ".join(finished.out.split()), "however lines are broken"
    assert "nothing was started" in finished.err
    with Store.open() as store:
        assert store.list_sweeps(5) == ()
        assert store.list_experiments(5, sweeps=True) == ()


_FAR = {"node": "spark-far", "file": "/srv/compose.yaml", "service": "vllm"}
_AWAY = f"{sys.executable} -c 'import sys; sys.exit(\"spark-far: No route to host\")'"


def test_a_dry_run_without_its_nodes_says_what_is_unknown_and_why(
    tmp_path: Path, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plan is made in the evening, at home; the nodes are asked when it starts."""
    monkeypatch.setenv("SPARKTUNE_SSH", _AWAY)
    content = _sweep(port, launcher="compose", where=[_FAR], knobs={"max_num_seqs": [4, 8]})
    del content["baseline"]

    planned = _run(tmp_path, content, "--dry-run")
    started = _run(tmp_path, content, "--yes", "--engine", "vllm")

    told = " ".join(planned.out.split())
    assert planned.code == 0, planned.err
    assert "max_num_seqs: 4, 8 (now unknown, upwards under the guards)" in told
    assert "unknown: what runs now, and with it which values are the baseline's own" in told
    assert "No route to host" in told, "it says why"
    assert (
        f"unknown: which engine it is, and whether it has these knobs: nothing answers at http://127.0.0.1:{port}"
        in told
    )
    assert "at most 7 to choose" in told
    assert started.code == 1
    assert "No route to host" in started.err


def test_a_dry_run_names_the_nodes_whose_memory_nobody_knows(
    tmp_path: Path, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARKTUNE_SSH", _AWAY)

    planned = _run(tmp_path, _sweep(port, nodes=["spark-far"]), "--dry-run")

    told = " ".join(planned.out.split())
    assert planned.code == 0, planned.err
    assert "unknown: whether each value fits into the memory of a node: spark-far: " in told
    assert f"{_STEP}: 4, none, {SLOW} (now {SLOW})" in told, "what runs now is known all the same"


def test_where_nothing_is_left_to_try_it_says_why(tmp_path: Path, port: int) -> None:
    finished = _run(tmp_path, _sweep(port, knobs={_STEP: [SLOW]}), "--yes")

    assert finished.code == 5
    assert "nothing is left to try: every value is the baseline's own" in finished.err


def test_without_a_terminal_nothing_starts_unasked(tmp_path: Path, port: int) -> None:
    finished = _run(tmp_path, _sweep(port))

    assert finished.code == 2
    assert "--yes" in finished.err


# By what was written last before the kill: in the middle of a visit, and right after one.
_KILLS = {"measuring the third": "add_trial:9", "after the second": "add_sweep_visit:2"}
_SERVER_LEFT = frozenset({"measuring the third"})


@pytest.mark.parametrize(
    "where", ["measuring the third", pytest.param("after the second", marks=pytest.mark.slow)], ids=str
)
def test_after_a_kill_resume_makes_no_visit_again_and_leaves_nothing(tmp_path: Path, port: int, where: str) -> None:
    path = _file(tmp_path, _sweep(port, knobs={_STEP: ["8", "4"]}))
    argv = [sys.executable, "-m", "tests.integration.ab.child", _KILLS[where], "sweep", str(path), "--yes", "--quiet"]
    ended = subprocess.run(argv, cwd=_ROOT, capture_output=True, text=True, timeout=_LIMIT_S, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    with Store.open() as store:
        (record,) = store.list_sweeps(5)
        before = store.sweep_visits(record.id)
    assert len(before) == 2
    assert listens(port) or where not in _SERVER_LEFT, "a server outlives the program that started it"

    shown = run_sparktune("sweep", "list")
    finished = run_sparktune("sweep", "resume", record.id, "--yes", "--json", limit_s=_LIMIT_S)

    assert "killed" in shown.out
    assert finished.code in {0, 5}, finished.err
    with Store.open() as store:
        after = store.sweep_visits(record.id)
        begun = Counter(visit.block for visit in store.visits(record.id) if visit.state is VisitState.DONE)
        assert store.load_sweep(record.id).state is SweepState.DONE
        assert not store.held(record.id)
    assert after[:2] == before
    assert set(begun.values()) == {1}, "what was measured once counts, and is not measured twice"
    screened = Counter(visit.key for visit in after if visit.stage is Stage.SCREEN and visit.key != BASELINE)
    assert set(screened.values()) == {1}
    assert not listens(port)


@pytest.mark.slow
def test_a_killed_sweep_is_only_restored_by_its_own_command(tmp_path: Path, port: int) -> None:
    path = _file(tmp_path, _sweep(port))
    argv = [sys.executable, "-m", "tests.integration.ab.child", "add_trial:2", "sweep", str(path), "--yes", "--quiet"]
    subprocess.run(argv, cwd=_ROOT, capture_output=True, timeout=_LIMIT_S, check=False)
    with Store.open() as store:
        (record,) = store.list_sweeps(5)

    again = _run(tmp_path, _sweep(port), "--yes")
    as_experiment = run_sparktune("ab", "resume", record.id, "--restore-only")
    listed = run_sparktune("ab", "list")
    restored = run_sparktune("sweep", "resume", record.id, "--restore-only")

    assert again.code == 2
    assert f"sparktune sweep resume {record.id} --restore-only" in again.err
    assert as_experiment.code == 2
    assert f"sparktune sweep show {record.id}" in as_experiment.err
    assert "no experiments" in listed.err
    assert restored.code == 0, restored.err
    assert "restored: what was started has ended" in restored.err
    assert not listens(port)


@pytest.mark.slow
def test_an_interruption_restores_and_says_how_to_go_on(tmp_path: Path, port: int) -> None:
    path = _file(tmp_path, _sweep(port))
    argv = [sys.executable, "-m", "sparktune", "sweep", str(path), "--yes"]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        while "fitting prompts" not in process.stderr.readline():
            assert process.poll() is None
        os.kill(process.pid, signal.SIGTERM)
        _, err = process.communicate(timeout=_LIMIT_S)
    finally:
        process.kill()
        process.wait()
    with Store.open() as store:
        (record,) = store.list_sweeps(5)

    assert process.returncode == 130, err
    assert f"sparktune sweep resume {record.id}" in err
    assert record.state is SweepState.INTERRUPTED
    assert not listens(port)


def test_constraints_and_ends_are_in_what_is_shown_later(tmp_path: Path, port: int) -> None:
    """A limit that no configuration keeps leaves no winner, however fast it is."""
    content = _sweep(port, knobs={_STEP: ["8", "none"]}, constraints=["ttft_s<=0.0001"])
    _run(tmp_path, content, "--yes", "--quiet")
    shown = run_sparktune("sweep", "show", "--json")

    assert shown.code == 5, shown.err
    assert shown.json["winner"] is None
    assert shown.json["constraints"] == [{"metric": "ttft_s", "at": "most", "limit": 0.0001}]
    assert {visit["end"] for visit in shown.json["visits"]} == {VisitEnd.MEASURED.value, VisitEnd.INFEASIBLE.value}
