"""Answers as a guard of a real experiment: asked after the trials of every visit, judged beside the verdict."""

from pathlib import Path

import pytest
from tests.support.ab import attach_experiment, result_of, run_experiment
from tests.support.cli import run_sparktune

from sparktune.flows.bench.result import rebuild
from sparktune.io.reference.process import ReferenceProcess
from sparktune.io.store import Store

pytestmark = pytest.mark.slow


def test_answers_of_both_arms_are_kept_and_judged(reference: ReferenceProcess, tmp_path: Path) -> None:
    """The reference server leaves tools out of its prompts: that is unknown, and the win has it in the same breath."""
    content = attach_experiment(reference.base_url, quality=True, max_blocks=3, settle_s=0)
    finished = run_experiment(tmp_path, content)
    result = result_of(finished)

    assert result["verdict"] == "IMPROVED", result["sentence"] + result["why"]
    assert result["sentence"].startswith("IMPROVED, but guard tool_calls is not shown to hold")
    guards = {guard["metric"]: guard for guard in result["guards"]}
    assert "never reach the model" in guards["tool_calls"]["why"]
    assert "no proof of quality" in guards["canary"]["why"]
    assert [len(visit["quality"]["canary"]) for visit in result["visits"]] == [20] * 6
    with Store.open() as store:
        runs = [visit.run_id for visit in store.visits(result["run"])]
        cells = [row for run in runs for row in rebuild(store, store.load_run(run)).cells]
    assert {(row.trials, row.requests) for row in cells} == {(3, 3)}, "what is asked for quality is in no trial"

    page = tmp_path / "page.html"
    told = run_sparktune("runs", "report", result["run"], "--out", str(page))
    assert told.code == 0, told.err
    assert "tool_calls" in page.read_text()
