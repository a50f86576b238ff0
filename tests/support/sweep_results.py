"""Results of a sweep of one flag: what was tried, what came of it, and what fresh blocks confirmed."""

from dataclasses import replace
from typing import Any

from tests.support.experiments import experiment
from tests.support.sweep_world import swept

from sparktune.experiment.design import Arm
from sparktune.experiment.effect import Effect
from sparktune.experiment.result import BlockResult, ExperimentResult
from sparktune.experiment.sweep_result import SweepResult
from sparktune.experiment.verdict import Judgement, Verdict
from sparktune.model.sweep import (
    BASELINE,
    Candidate,
    Constraint,
    Estimate,
    Pruned,
    Stage,
    Standing,
    SweepState,
    SweepVisit,
    VisitEnd,
)

BEST = Candidate(key="flag:--x=2", values={"flag:--x": "2"})
WORSE = Candidate(key="flag:--x=1", values={"flag:--x": "1"})
BROKEN = Candidate(key="flag:--x=3", values={"flag:--x": "3"})
KNOWN = (
    Estimate(candidate=Candidate(key=BASELINE), standing=Standing.BASELINE, log_ratio=0.0, visits=2),
    Estimate(candidate=BEST, standing=Standing.CHOSEN, log_ratio=0.0953, error=0.02, stage=Stage.RACE, visits=4),
    Estimate(candidate=WORSE, standing=Standing.OUT, log_ratio=-0.1054, stage=Stage.SCREEN, visits=1, why="slower"),
    Estimate(candidate=BROKEN, standing=Standing.INFEASIBLE, stage=Stage.SCREEN, why="out of memory"),
)
VISITS = (
    SweepVisit(number=1, stage=Stage.SCREEN, block=0, key=BASELINE, end=VisitEnd.MEASURED, log_value=4.605, took_s=60),
    SweepVisit(number=2, stage=Stage.SCREEN, block=0, key=BROKEN.key, end=VisitEnd.INFEASIBLE, why="out of memory"),
)
WON: dict[str, Any] = {"winner": BEST.key, "confirm": "c1", "state": SweepState.DONE, "why": "it led the race"}


def sweep_result(confirmed: ExperimentResult | None = None, **changes: Any) -> SweepResult:  # noqa: ANN401 - of the record
    """Return a sweep after two visits, with three to come at most."""
    record, umbrella = swept(
        pruned=(Pruned(key="flag:--x=9", why="it is set as flag:--x=2 is", rule="same"),),
        constraints=(Constraint(metric="ttft_s", at="most", limit=1.5),),
        budget_s=7200.0,
    )
    return SweepResult(
        record=replace(record, **changes),
        experiment=umbrella,
        visits=VISITS,
        known=KNOWN,
        left=3,
        confirmed=confirmed,
    )


def confirmed_by(verdict: Verdict | None, ratio: float = 1.1) -> ExperimentResult:
    """Return a confirmation of three blocks that came to this verdict."""
    effect = Effect(ratio=ratio, low=ratio * 0.95, high=ratio * 1.05, confidence=0.99, blocks=3, deviation=0.02, wins=3)
    block = BlockResult(number=1, order=(Arm.A, Arm.B), values={Arm.A: {}, Arm.B: {}}, ratio=0.1)
    return ExperimentResult(
        experiment=replace(experiment(), id="c1"),
        verdict=verdict,
        judgement=Judgement(verdict=verdict, effect=effect),
        blocks=(block, block, block),
        afterwards="the original (arm A) is live: x = 0",
    )
