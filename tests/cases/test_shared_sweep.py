"""A sweep of draft depths on a real Spark, read in place: what would choose wrongly, and what the tool chooses by."""

import math
import statistics
from pathlib import Path

import pytest
from tests.support.shared import shared

from sparktune.bench.exposition import parse_exposition
from sparktune.bench.imports import SourceFile, read_table
from sparktune.deploy.sweep_limits import Ground
from sparktune.deploy.sweep_space import candidates_of
from sparktune.experiment.search import next_task
from sparktune.experiment.search.outcomes import outcomes
from sparktune.experiment.search.predict import DRAFTS, Acceptance, predictions
from sparktune.model.sweep import BASELINE, ConfirmTask, DoneTask, KnobRange, SweepPlan, SweepVisit, VisitEnd

_FOLDER = "cases/31-draft-depth-sweep-acceptance-vs-speed"
_DEPTHS = ("3", "7", "11", "15")
_SLOWEST = "3"


def _samples(depth: str) -> dict[str, float]:
    """Return the counters of speculative decoding of one server's whole life."""
    text = shared(f"{_FOLDER}/n{depth}.metrics").read_bytes()
    return {
        f"{sample.name.removeprefix('vllm:spec_decode_num_')}{sample.labels.get('position', '')}": sample.value
        for sample in parse_exposition(text)
        if "spec_decode_num" in sample.name
    }


def _acceptance(depth: str) -> Acceptance:
    counted = _samples(depth)
    rounds = counted["drafts_total"]
    shares = tuple(counted[f"accepted_tokens_per_pos_total{place}"] / rounds for place in range(int(depth)))
    return Acceptance(shares=shares, rounds=rounds)


def _speeds(depth: str) -> dict[str, float]:
    file: Path = shared(f"{_FOLDER}/dfl-n{depth}.json")
    table = read_table(SourceFile(name=file.name, data=file.read_bytes()))
    return {row.prompt_id: row.values["decode_tok_s"] for row in table.rows if "decode_tok_s" in row.values}


def _metrics(depth: str) -> dict[str, float]:
    """Return speed and acceptance length as a visit has them."""
    counted = _samples(depth)
    length = 1 + counted["accepted_tokens_total"] / counted["drafts_total"]
    speeds = _speeds(depth)
    return {"decode_tok_s": statistics.geometric_mean(speeds.values()), "acceptance_length": length}


def _plan(baseline: str) -> SweepPlan:
    space = KnobRange(knob=DRAFTS, values=_DEPTHS, baseline=baseline)
    return SweepPlan(ranges=(space,), screened=candidates_of((space,)), pairs=False)


def _swept(baseline: str) -> tuple[ConfirmTask | DoneTask, list[SweepVisit]]:
    """Search as the command does; every visit finds what the real server showed at that depth."""
    plan, visits = _plan(baseline), list[SweepVisit]()
    while True:
        task = next_task(plan, visits)
        if isinstance(task, ConfirmTask | DoneTask):
            return task, visits
        metrics = _metrics(task.candidate.values.get(DRAFTS, baseline))
        visits.append(
            SweepVisit(
                number=len(visits) + 1,
                stage=task.stage,
                block=task.block,
                key=task.candidate.key,
                end=VisitEnd.MEASURED,
                log_value=math.log(metrics["decode_tok_s"]),
                metrics=metrics,
            )
        )


def test_acceptance_alone_would_choose_the_slowest() -> None:
    rates = {}
    for depth in _DEPTHS:
        counted = _samples(depth)
        rates[depth] = counted["accepted_tokens_total"] / counted["draft_tokens_total"]
    speeds = {depth: _metrics(depth)["decode_tok_s"] for depth in _DEPTHS}

    assert max(rates, key=lambda depth: rates[depth]) == _SLOWEST
    assert min(speeds, key=lambda depth: speeds[depth]) == _SLOWEST


@pytest.mark.parametrize("baseline", _DEPTHS)
def test_a_sweep_chooses_by_speed(baseline: str) -> None:
    """From whichever depth it starts: the slowest is never what goes to confirmation, and is left when it runs."""
    task, visits = _swept(baseline)

    assert {visit.key for visit in visits} == {BASELINE, *(f"{DRAFTS}={one}" for one in _DEPTHS if one != baseline)}
    assert not isinstance(task, ConfirmTask) or task.candidate.values[DRAFTS] != _SLOWEST
    if baseline == _SLOWEST:
        assert isinstance(task, ConfirmTask), task.why


def test_one_run_foretells_the_length_of_every_smaller_depth() -> None:
    """And not the speed: the break-even says what a start has to show, and that start decides."""
    _, visits = _swept("15")
    foretold = predictions(candidates_of(_plan("15").ranges), Ground(engine="vllm"), _acceptance("15"))
    found = {one.prediction.key: one for one in outcomes(foretold, visits)}

    for depth in ("3", "7", "11"):
        one = found[f"{DRAFTS}={depth}"]
        assert one.measured is not None
        assert one.prediction.value == pytest.approx(one.measured, rel=0.1)
        assert not one.prediction.at_most
    slowest = found[f"{DRAFTS}={_SLOWEST}"]
    assert slowest.prediction.step_ratio is not None
    assert slowest.step_ratio is not None
    assert slowest.step_ratio > slowest.prediction.step_ratio, "its steps are not short enough for what they yield"


def test_a_larger_depth_stays_below_its_bound() -> None:
    (bound,) = predictions(
        candidates_of((KnobRange(knob=DRAFTS, values=("15",), baseline="7"),)), Ground(engine="vllm"), _acceptance("7")
    )

    assert bound.at_most
    assert _metrics("15")["acceptance_length"] <= bound.value
