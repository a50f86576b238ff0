"""From a file to a verdict, on servers whose truth is known."""

import os
import signal
from pathlib import Path

import pytest
from ruamel.yaml import YAML
from tests.support.ab import (
    QUICK,
    command_experiment,
    listens,
    result_of,
    run_experiment,
    server_argv,
    write_experiment,
)
from tests.support.cli import run_sparktune
from tests.support.ports import free_port

from sparktune.io.store import Store


def test_an_arm_that_is_truly_better_wins_and_nothing_is_left_running(tmp_path: Path) -> None:
    port = free_port()
    finished = run_experiment(tmp_path, command_experiment(port, guards=["e2e_s"]))
    result = result_of(finished)

    assert finished.code == 0, finished.out
    assert result["verdict"] == "IMPROVED"
    assert result["primary"] == "output_tok_s"
    assert result["effect"]["low"] > 1.5
    assert result["blocks"] in {3, 5}
    assert [guard["status"] for guard in result["guards"]] == ["ok"]
    assert result["sentence"].startswith("IMPROVED: B is +")
    assert not listens(port)
    assert "nothing does now" in result["afterwards"]
    assert "cost: 10 visits" in finished.err
    assert "earned.yaml was not written" in finished.err


def test_the_same_is_shown_later_and_listed(tmp_path: Path) -> None:
    """A report is rebuilt from the store, never remembered."""
    first = result_of(run_experiment(tmp_path, command_experiment(free_port(), max_blocks=1)))

    shown = run_sparktune("ab", "show", first["run"], "--json")
    listed = run_sparktune("ab", "list")

    assert result_of(shown) == first
    assert shown.code == 5
    assert first["run"] in listed.out


def test_one_block_is_an_anecdote_however_large_the_effect(tmp_path: Path) -> None:
    finished = run_experiment(tmp_path, command_experiment(free_port()), "--max-blocks", "1")
    result = result_of(finished)

    assert finished.code == 5
    assert (result["verdict"], result["anecdote"], result["blocks"]) == (None, True, 1)
    assert result["sentence"].startswith("ANECDOTE")


def test_a_winner_that_is_accepted_stays_and_is_written_down_with_its_evidence(tmp_path: Path) -> None:
    port = free_port()
    earned = tmp_path / "earned.yaml"
    finished = run_experiment(tmp_path, command_experiment(port), "--accept", "--earned", str(earned))
    result = result_of(finished)
    try:
        assert result["verdict"] == "IMPROVED"
        assert "the winner (arm B) is live" in result["afterwards"]
        assert listens(port)
    finally:
        _end_server(port)
    (entry,) = YAML(typ="safe").load(earned)["settings"]
    assert entry["knob"] == "--itl-ms"
    assert entry["value"]["command"] == server_argv(port, QUICK)
    assert entry["evidence"]["run"] == result["run"]
    assert entry["evidence"]["low"] > 1
    assert entry["scope"]["workload"]


def _end_server(port: int) -> None:
    """End the winner, which was left running on purpose."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"sparktune.io.reference" in words and str(port).encode() in words:
            os.kill(int(path.parent.name), signal.SIGTERM)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_the_same_arm_twice_is_never_an_improvement_and_tells_the_noise(tmp_path: Path, seed: int) -> None:
    content = command_experiment(free_port(), aa=True, seed=seed, max_blocks=3)
    del content["b"]
    result = result_of(run_experiment(tmp_path, content))

    assert result["verdict"] not in {"IMPROVED", "REGRESSED"}
    assert result["noise"]["visits"] == 6
    assert result["noise"]["best_trials"] >= 1


def test_a_dry_run_prints_the_plan_and_touches_nothing(tmp_path: Path) -> None:
    port = free_port()
    path = write_experiment(tmp_path, command_experiment(port))
    finished = run_sparktune("ab", str(path), "--dry-run")

    assert finished.code == 0
    assert "block 5: " in finished.out
    assert "order (seed 1)" in finished.out
    assert "can detect, four times in five: " in finished.out
    assert not listens(port)
    with Store.open() as store:
        assert store.list_experiments(5) == ()


def test_the_plan_of_a_seed_is_the_same_every_time(tmp_path: Path) -> None:
    path = write_experiment(tmp_path, command_experiment(1))
    plans = {run_sparktune("ab", str(path), "--dry-run", "--seed", "7").out for _ in range(2)}
    assert len(plans) == 1


def test_without_a_terminal_nothing_starts_unasked(tmp_path: Path) -> None:
    finished = run_sparktune("ab", str(write_experiment(tmp_path, command_experiment(free_port()))))
    assert finished.code == 2
    assert "--yes" in finished.err
