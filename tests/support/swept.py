"""Sweeps with their visits, made up from numbers."""

import math
from collections.abc import Mapping
from dataclasses import replace

from tests.support import reported
from tests.support.experiments import experiment

from sparktune.experiment.sweep_result import SweepResult
from sparktune.model.prediction import Outcome, Prediction
from sparktune.model.sweep import (
    BASELINE,
    Candidate,
    Constraint,
    Estimate,
    KnobRange,
    Pruned,
    Stage,
    Standing,
    SweepPlan,
    SweepState,
    SweepVisit,
    VisitEnd,
)
from sparktune.model.sweep_record import SweepRecord

_SEQS, _DEPTH = "max_num_seqs", "num_speculative_tokens"
_WINNER = f"{_SEQS}=16 {_DEPTH}=3"
_RATES = {
    BASELINE: (101.0, 4.1),
    f"{_SEQS}=4": (84.0, 6.9),
    f"{_SEQS}=16": (124.0, 4.4),
    f"{_SEQS}=32": (151.0, 12.5),
    f"{_DEPTH}=2": (97.0, 4.2),
    f"{_DEPTH}=3": (109.0, 4.0),
    "attention_backend=TRITON_ATTN": (88.0, 5.2),
    _WINNER: (133.0, 4.3),
}
OUTCOMES = (
    Outcome(
        prediction=Prediction(
            key=f"{_DEPTH}=3", metric="acceptance_length", value=2.9, step_ratio=0.83,
            why="1 + 0.80 + 0.60 + 0.50, against 3.48 now; if the first drafts do not hang on how many follow",
        ),
        measured=2.97,
        step_ratio=0.76,
    ),
    Outcome(
        prediction=Prediction(
            key=f"{_SEQS}=64", metric="kv_requests", value=41.3,
            why="the KV pool of the last start, 702100 tokens, over 17000 of the workload's longest request",
        ),
        measured=None,
        why="infeasible: out of memory",
    ),
)  # fmt: skip


def won() -> SweepResult:
    """Return a sweep whose winner was confirmed, with one that did not run, one beyond a limit, and one left out."""
    plan, visits = _plan(), list[SweepVisit]()
    for key, (rate, wait) in _RATES.items():
        if key != _WINNER:
            visits.append(_visit(len(visits) + 1, Stage.SCREEN, 0, key, rate, wait))
    visits.append(
        SweepVisit(
            number=len(visits) + 1, stage=Stage.SCREEN, block=0, key=f"{_SEQS}=64", end=VisitEnd.INFEASIBLE,
            took_s=187.0, why="the start failed: No available memory for the cache blocks",
        )
    )  # fmt: skip
    for block in (1, 2, 3):
        for key in (BASELINE, f"{_SEQS}=16", _WINNER):
            rate, wait = _RATES[key]
            wobble = 1 + 0.01 * (block - 2)
            visits.append(_visit(len(visits) + 1, Stage.RACE, block, key, rate * wobble, wait / wobble))
    record = _record(plan, state=SweepState.DONE, winner=_WINNER, confirm="261130-120000-abc", why="it led the race")
    return SweepResult(
        record=record,
        experiment=experiment(),
        visits=tuple(visits),
        known=(
            *(_known(key, rate) for key, (rate, _) in _RATES.items()),
            _estimate(f"{_SEQS}=64", Standing.INFEASIBLE, why="the start failed: No available memory"),
        ),
        left=0,
        confirmed=replace(reported.decided().result, afterwards="the original is set and was read back"),
    )


def unconfirmed() -> SweepResult:
    """Return the same before its confirmation."""
    found = won()
    return replace(found, record=replace(found.record, confirm=""), confirmed=None)


def none() -> SweepResult:
    """Return one in which nothing looked better than the baseline."""
    found = won()
    record = replace(found.record, winner="", confirm="", why="nothing looked better than the baseline")
    return replace(found, record=record, confirmed=None, visits=found.visits[:4], known=found.known[:4])


def begun() -> SweepResult:
    """Return one without any visit."""
    plan = replace(_plan(), constraints=(), pruned=())
    return SweepResult(
        record=_record(plan, state=SweepState.RUNNING), experiment=experiment(), visits=(), known=(), left=9
    )


def hostile() -> SweepResult:
    """Return one whose names and reasons are what a server might say to steer a page or a terminal."""
    found = won()
    words = reported.SERVER_WORDS
    visits = tuple(replace(visit, why=words) for visit in found.visits)
    known = tuple(replace(one, why=words, candidate=replace(one.candidate, key=words)) for one in found.known)
    return replace(found, visits=visits, known=known, record=replace(found.record, why=words, winner=words))


def _plan() -> SweepPlan:
    ranges = (
        KnobRange(knob=_SEQS, values=("4", "16", "32", "64"), baseline="8", raises_memory=True),
        KnobRange(knob=_DEPTH, values=("2", "3", "7"), baseline="5"),
        KnobRange(knob="attention_backend", values=("TRITON_ATTN",), baseline="FLASHINFER"),
    )
    screened = tuple(_candidate(key) for key in (*_RATES, f"{_SEQS}=64") if key not in {BASELINE, _WINNER})
    return SweepPlan(
        ranges=ranges,
        screened=screened,
        pruned=(
            Pruned(
                key=f"{_DEPTH}=7",
                rule="graph-coverage",
                why="the workload has 8 requests in flight; with this, 4 of them decode inside a CUDA graph (largest "
                "captured step: 32 tokens), with the baseline all 8",
            ),
        ),
        constraints=(Constraint(metric="ttft_max_s", at="most", limit=8.0),),
        budget_s=10_800.0,
        seed=5,
    )


def _record(plan: SweepPlan, **changes: object) -> SweepRecord:
    record = SweepRecord(id="261130-090000-xyz", created_wall_s=1_700_000_000.0, plan=plan, engine="vllm")
    return replace(record, afterwards="the original is set and was read back", **changes)  # type: ignore[arg-type]


def _visit(number: int, stage: Stage, block: int, key: str, rate: float, wait: float) -> SweepVisit:
    metrics: Mapping[str, float] = {"output_tok_s": rate, "ttft_max_s": wait, "decode_tok_s": rate / 4}
    return SweepVisit(
        number=number, stage=stage, block=block, key=key, end=VisitEnd.MEASURED, log_value=math.log(rate),
        metrics=metrics, took_s=612.0, run_id=f"run{number}",
    )  # fmt: skip


def _known(key: str, rate: float) -> Estimate:
    if key == BASELINE:
        return Estimate(candidate=Candidate(key=key), standing=Standing.BASELINE, log_ratio=0.0, visits=4)
    raced = key in {f"{_SEQS}=16", _WINNER}
    standing = Standing.CHOSEN if key == _WINNER else Standing.OUT
    standing = Standing.UNFIT if key == f"{_SEQS}=32" else standing
    found = _estimate(key, standing, why="ttft_max_s<=8 is 12.5" if standing is Standing.UNFIT else "")
    return replace(
        found,
        log_ratio=math.log(rate / _RATES[BASELINE][0]),
        error=0.018 if raced else 0.045,
        stage=Stage.RACE if raced else Stage.SCREEN,
        visits=3 if key == _WINNER else 4 if raced else 1,
    )


def _estimate(key: str, standing: Standing, *, why: str) -> Estimate:
    return Estimate(candidate=_candidate(key), standing=standing, stage=Stage.SCREEN, why=why)


def _candidate(key: str) -> Candidate:
    return Candidate(key=key, values=dict(part.split("=", 1) for part in key.split(" ")))
