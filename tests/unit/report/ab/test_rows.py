"""The list of experiments: verdict and caveat in one line, and what still holds something."""

import json
from dataclasses import replace

from tests.support.schemas import promised

from sparktune.model.experiment_row import ExperimentRow, ExperimentState
from sparktune.report.ab.json import rows_json
from sparktune.report.ab.text import rows_text

_RUNNING = ExperimentRow(
    id="e1",
    created_wall_s=0.0,
    base_url="http://x/v1",
    name="n",
    knob="k",
    metric="m",
    state=ExperimentState.RUNNING,
    holds=True,
)


def test_a_row_has_its_caveat_in_the_same_line() -> None:
    row = ExperimentRow(
        id="e1", created_wall_s=0.0, base_url="u", name="n", knob="k", metric="m", state=ExperimentState.DONE,
        verdict="IMPROVED", why="guard ttft_s is WORSE (+20.0 %)",
    )  # fmt: skip

    assert rows_text([row], {}).endswith("  BUT guard ttft_s is WORSE (+20.0 %)\n")
    assert row.said == "IMPROVED, but guard ttft_s is WORSE (+20.0 %)"
    assert replace(row, verdict="INCONCLUSIVE", why="it was ended").said == "INCONCLUSIVE"
    assert json.loads(rows_json([row], {}))["experiments"][0]["verdict"] == "IMPROVED", "the word of the contract stays"


def test_lists_say_what_still_holds_something() -> None:
    told = rows_text([_RUNNING], {"e1": ""})
    assert "  killed  " in told
    assert "HOLDS SOMETHING: sparktune ab resume e1 --restore-only" in told
    (found,) = promised("experiments", rows_json([_RUNNING], {"e1": ""}))["experiments"]
    assert (found["id"], found["owner"]) == ("e1", None)


def test_one_that_runs_is_not_called_left_behind() -> None:
    """It holds something because it works: to resume it would be wrong advice."""
    told = rows_text([_RUNNING], {"e1": "pid 7 on spark1"})
    assert "RUNNING: pid 7 on spark1" in told
    assert "HOLDS" not in told
    assert "resume" not in told
    assert (
        promised("experiments", rows_json([_RUNNING], {"e1": "pid 7 on spark1"}))["experiments"][0]["owner"]
        == "pid 7 on spark1"
    )
