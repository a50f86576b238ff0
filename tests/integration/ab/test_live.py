"""An arm is measured when it is live and stays live, and not otherwise: the reason for reading back at all."""

import sys
from pathlib import Path

import pytest
from tests.support.ab import GUARD, SLOW, attach_experiment, result_of, run_experiment, switch_argv

from sparktune.io.reference.process import ReferenceProcess
from sparktune.io.store import Store

# Prints what is wanted so many times, then something else.
_FICKLE = (
    "import pathlib, sys; path = pathlib.Path(sys.argv[1]); seen = len(path.read_text()) if path.exists() else 0; "
    "path.write_text('x' * (seen + 1)); print('same' if seen < int(sys.argv[2]) else 'other')"
)


def test_a_script_switches_a_server_and_the_better_arm_wins(tmp_path: Path, reference: ReferenceProcess) -> None:
    result = result_of(run_experiment(tmp_path, attach_experiment(reference.base_url)))

    assert result["verdict"] == "IMPROVED"
    assert "arm A) is live: /__cfg itl_ms = 12.0" in result["afterwards"]
    assert {check["id"]: check["status"] for check in result["checks"]}["V09"] == "ok"


def test_a_knob_that_did_not_go_live_is_refused_and_nothing_is_measured_with_it(
    tmp_path: Path, reference: ReferenceProcess
) -> None:
    """A recipe said 2, the server had 1: what was measured then was the old setting under the new name."""
    nothing = switch_argv(reference.base_url, {"ttft_ms": 5.0, "itl_ms": float(SLOW)})
    finished = run_experiment(tmp_path, attach_experiment(reference.base_url, b={"switch": nothing}))
    result = result_of(finished)

    assert finished.code == 5
    assert result["verdict"] == "INVALID"
    assert result["sentence"].startswith("INVALID: V09: block 1, arm B was not live")
    assert "12.0" in result["why"]
    assert "4.0" in result["why"]
    refused = [visit for visit in result["visits"] if visit["state"] == "refused"]
    assert [visit["run_id"] for visit in refused] == [""]
    assert result["effect"] is None
    assert "original (arm A) is live" in result["afterwards"]


def test_a_setting_that_changes_while_it_is_measured_voids_the_experiment(
    tmp_path: Path, reference: ReferenceProcess
) -> None:
    count = tmp_path / "count"
    fickle = {"command": [sys.executable, "-c", _FICKLE, str(count), "1"], "A": "same", "B": "same"}
    served = {"http": "/__cfg", "keys": "itl_ms", "A": "12.0", "B": "4.0"}
    content = attach_experiment(reference.base_url, live={"served": served, "other": fickle})
    finished = run_experiment(tmp_path, content)

    # The original cannot be seen to be live either, since the other setting is still another one.
    assert finished.code == 1
    assert "not live" in finished.err
    with Store.open() as store:
        (row,) = store.list_experiments(5)
        (visit,) = store.visits(row.id)
    assert row.verdict == "INVALID"
    assert visit.state.value == "void"
    assert visit.live_before["other"] == "same"
    assert visit.live_after["other"] == "other"


def test_an_arm_without_a_reader_is_not_started(tmp_path: Path, reference: ReferenceProcess) -> None:
    content = attach_experiment(reference.base_url)
    del content["live"]
    finished = run_experiment(tmp_path, content)

    assert finished.code == 2
    assert "nothing could be verified" in finished.err
    assert reference.drain_log() == ()


def test_arms_that_a_person_sets_are_not_begun_where_nobody_can_be_asked(
    tmp_path: Path, reference: ReferenceProcess
) -> None:
    """A record of it would stand in the way of every later experiment at this server, and only a terminal clears it."""
    content = attach_experiment(reference.base_url, a={"text": "set it to 12"}, b={"text": "set it to 4"})
    finished = run_experiment(tmp_path, content)

    assert finished.code == 2
    assert "there is no terminal to ask at" in finished.err
    assert reference.drain_log() == ()
    with Store.open() as store:
        assert tuple(store.list_experiments(1)) == ()


# How many requests come before the three that are measured hangs on the prompts: every third is one of these.
@pytest.mark.parametrize("broken", [{"abort_every": 3}])
def test_requests_that_fail_void_the_experiment(
    tmp_path: Path, reference: ReferenceProcess, broken: dict[str, object]
) -> None:
    """The slow requests are the ones that fail: without them an arm looks better than it is."""
    failing = switch_argv(reference.base_url, {"ttft_ms": 5.0, "itl_ms": 4.0, **broken})
    guard = {**GUARD, "error_share": None}  # it would stop the visit before anybody could look at its numbers
    content = attach_experiment(reference.base_url, b={"switch": failing}, guard=guard)
    result = result_of(run_experiment(tmp_path, content))

    assert result["verdict"] == "INVALID"
    assert "V19" in result["sentence"]


def test_a_prefix_cache_voids_the_largest_win_of_all(tmp_path: Path, reference: ReferenceProcess) -> None:
    """Thousands of percent, and not one of them real: the second arm answers from its cache."""
    cached = switch_argv(reference.base_url, {"ttft_ms": 1.0, "itl_ms": 4.0, "cached": 32, "usage": "always"})
    result = result_of(run_experiment(tmp_path, attach_experiment(reference.base_url, b={"switch": cached})))

    assert result["verdict"] == "INVALID"
    assert "V01" in result["sentence"]
