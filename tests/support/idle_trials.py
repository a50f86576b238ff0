"""Idle trials for tests: a plan, visits of chosen values, and virtual ones in which the truth is known."""

__all__ = ["plan_of", "rates", "virtual_trial", "visit_of"]

import random
from collections import Counter
from collections.abc import Callable, Mapping

from sparktune.experiment.design import Arm, blocks_of
from sparktune.experiment.difference import DifferenceRules
from sparktune.experiment.idle_result import conclude_idle
from sparktune.experiment.idle_trial import (
    HOTTEST_ZONE,
    IdleState,
    IdleTrial,
    IdleVisit,
    Reading,
    Sensor,
    ThreadId,
)
from sparktune.experiment.verdict import Verdict

VISIT_S = 180.0
_HOUR_S = 3600.0


def plan_of(count: int = 8, *, seed: int = 1, sensor: str = HOTTEST_ZONE) -> IdleTrial:
    """Return a plan of so many blocks; with an even seed arm A goes first."""
    return IdleTrial(
        id="t1",
        created_wall_s=0.0,
        node="spark2",
        thread=ThreadId(pid=10, tid=11, start_ticks=5, name="rpc-server", process="ggml-rpc-server"),
        title="",
        before=(0, 1, 2, 3),
        cpus=(0, 1),
        blocks=blocks_of(count, (), lambda: 0.25 if seed % 2 == 0 else 0.75),
        rules=DifferenceRules(),
        settle_s=120.0,
        window_s=60.0,
        seed=seed,
        sensor=sensor,
    )


def visit_of(block: int, place: int, arm: Arm, values: Mapping[str, tuple[Sensor, float]], **told: object) -> IdleVisit:
    """Return a visit that was measured, at the time that its place in the plan has."""
    fields: dict[str, object] = {
        "attempt": 1,
        "state": IdleState.DONE,
        "at_s": (2 * (block - 1) + place) * VISIT_S,
        "readings": {name: Reading(kind=kind, mean=value) for name, (kind, value) in values.items()},
        "demand": 1.0,
        "idle": True,
    }
    return IdleVisit(block=block, place=place, arm=arm, **{**fields, **told})  # type: ignore[arg-type]


def virtual_trial(
    effect: float, ambient: Callable[[float], float], noise: float, draw: random.Random
) -> Verdict | None:
    """Return the verdict of one trial in a world where arm B is ``effect`` degrees hotter; looks are obeyed."""
    plan = plan_of(seed=draw.randrange(2))
    visits: list[IdleVisit] = []
    for block in plan.blocks:
        for place, arm in enumerate(block.visits):
            at_s = len(visits) * VISIT_S
            heat = 50 + ambient(at_s / _HOUR_S) + (effect if arm is Arm.B else 0.0) + draw.gauss(0, noise)
            visits.append(visit_of(block.number, place, arm, {HOTTEST_ZONE: (Sensor.HEAT, heat)}))
        result = conclude_idle(plan, visits)
        if result.verdict is not None:
            return result.verdict
    return None


def rates(
    effect: float, ambient: Callable[[random.Random], Callable[[float], float]], noise: float, count: int, seed: int
) -> Mapping[Verdict | None, float]:
    """Return the share of each verdict among so many virtual trials; ``ambient`` makes a course of each."""
    draw = random.Random(seed)
    counted = Counter(virtual_trial(effect, ambient(draw), noise, draw) for _ in range(count))
    return {verdict: times / count for verdict, times in counted.items()}
