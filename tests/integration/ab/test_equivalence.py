"""Two ways to run the same thing: shown to be the same, or not shown; or shown to differ."""

from pathlib import Path

import pytest
from tests.support.ab import (
    QUICK,
    SLOW,
    command_experiment,
    listens,
    result_of,
    run_experiment,
    server_argv,
    write_experiment,
)
from tests.support.cli import run_sparktune
from tests.support.ports import free_port

pytestmark = pytest.mark.slow

_NEVER = {"IMPROVED", "REGRESSED"}


def _other_spelling(argv: list[str]) -> dict[str, object]:
    """Return an arm that starts the same server by other words: its flags turned around, and a variable more."""
    place = next(at for at, word in enumerate(argv) if word.startswith("--"))
    pairs = [argv[at : at + 2] for at in range(place, len(argv), 2)]
    return {"command": [*argv[:place], *(word for pair in reversed(pairs) for word in pair)], "env": {"OTHER": "1"}}


def test_another_spelling_of_the_same_server_never_wins(tmp_path: Path) -> None:
    port = free_port()
    content = command_experiment(
        port,
        a={"command": server_argv(port, SLOW)},
        b={"launcher": "command", **_other_spelling(server_argv(port, SLOW))},
        equivalence_test=True,
        equivalence=0.2,
        max_blocks=3,
    )
    finished = run_experiment(tmp_path, content)
    result = result_of(finished)

    assert result["verdict"] in {"EQUIVALENT", "INCONCLUSIVE"}, result["sentence"] + result["why"]
    assert not any(word in result["sentence"] for word in _NEVER)
    assert finished.code == (0 if result["verdict"] == "EQUIVALENT" else 5)
    assert result["equivalence_test"] is True
    assert "V09" not in {check["id"] for check in result["checks"]}
    assert "to be shown: two ways to run the same, within 20.0 % of each other; no arm can win" in finished.err
    assert "proves 20.0 %, four times in five: 3 blocks when they differ by" in finished.err
    assert all(visit["live_before"] for visit in result["visits"] if visit["state"] == "done")
    assert not listens(port)


def test_two_ways_that_differ_are_called_different_and_end_as_a_comparison(tmp_path: Path) -> None:
    port = free_port()
    content = command_experiment(port, b=_other_spelling(server_argv(port, QUICK)), equivalence_test=True)
    finished = run_experiment(tmp_path, content, "--accept")
    result = result_of(finished)

    assert result["verdict"] == "DIFFERENT", result["sentence"] + result["why"]
    assert finished.code == 3
    assert result["sentence"].startswith("DIFFERENT: the two ways are not the same: B is +")
    assert not (tmp_path / "earned.yaml").exists()
    page = tmp_path / "page.html"
    assert run_sparktune("runs", "report", result["run"], "--out", str(page)).code == 0
    assert "DIFFERENT" in page.read_text()


def test_flags_ask_for_it_too(tmp_path: Path) -> None:
    port = free_port()
    path = write_experiment(tmp_path, command_experiment(port))
    told = run_sparktune("ab", str(path), "--equivalence", "--quality", "--dry-run")
    assert told.code == 0, told.err
    assert "how it is run differs" in told.out
    assert "no arm can win" in told.out
    assert "can detect" not in told.out
    assert "in no number of speed: 26 tool calls, 20 prompts of the canary; B may lose less than 15.0 %" in told.out
