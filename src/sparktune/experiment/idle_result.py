"""The conclusion of an idle trial: paired differences by sensor, the verdict of the one that decides, and drift."""

__all__ = ["IdleBlock", "IdleResult", "SensorEffect", "conclude_idle", "idle_blocks"]

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sparktune.experiment.design import Arm
from sparktune.experiment.difference import Difference, DifferenceJudgement, difference_of, judge_differences
from sparktune.experiment.idle_trial import OTHERS, IdleState, IdleTrial, IdleVisit, Reading, Sensor
from sparktune.experiment.verdict import Verdict
from sparktune.units import Celsius, Seconds

_LEAST = 2
_HOUR_S = 3600.0
_POLLS = 0.5  # of a core: below it the thread sleeps, and where it sleeps does not matter
_OTHER_WORK = 0.3  # cores: about what one busy thread takes off and on

Pair = Mapping[Arm, IdleVisit]


@dataclass(frozen=True, slots=True, kw_only=True)
class IdleBlock:
    """One block that counts; ``difference`` is B less A of the sensor that decides."""

    number: int
    order: tuple[Arm, Arm]
    first: float
    second: float
    difference: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SensorEffect:
    """One sensor; ``effect`` None, with ``why``, where it cannot be had. Means are over the blocks that have it."""

    name: str
    kind: Sensor
    effect: Difference | None = None
    mean_a: float | None = None
    mean_b: float | None = None
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class IdleResult:
    """``verdict`` as of any experiment: IMPROVED is cooler. None with ``judgement.anecdote``: too few blocks for one.

    ``drift`` is how arm A alone moved over ``drift_over_s``, in degrees per hour, None where that cannot be told.
    ``flags`` are what a reader has to know before believing it, among them a drift that does not cancel out.
    """

    trial: IdleTrial
    verdict: Verdict | None
    judgement: DifferenceJudgement
    why: str = ""
    blocks: tuple[IdleBlock, ...] = ()
    sensors: tuple[SensorEffect, ...] = ()
    drift: float | None = None
    drift_over_s: Seconds = 0.0
    flags: tuple[str, ...] = ()
    voids: tuple[str, ...] = ()
    visits: int = 0


def idle_blocks(visits: Sequence[IdleVisit]) -> dict[int, Pair]:
    """Return by number the blocks of which one attempt has both visits whole."""
    attempts: dict[tuple[int, int], dict[Arm, IdleVisit]] = {}
    for visit in visits:
        if visit.state is IdleState.DONE:
            attempts.setdefault((visit.block, visit.attempt), {})[visit.arm] = visit
    return {number: pair for (number, _), pair in sorted(attempts.items()) if len(pair) == len(Arm)}


def conclude_idle(trial: IdleTrial, visits: Sequence[IdleVisit], ended: str = "") -> IdleResult:
    """Return the result so far; ``ended`` says why it ended before its plan did, "" when it did not."""
    pairs = idle_blocks(visits)
    blocks = tuple(_blocks(pairs, trial.sensor))
    judgement = judge_differences([block.difference for block in blocks], trial.rules)
    verdict, why = _verdict(trial, pairs, blocks, judgement, ended)
    drift, left = _drift(pairs, trial.sensor)
    return IdleResult(
        trial=trial,
        verdict=verdict,
        judgement=judgement,
        why=why,
        blocks=blocks,
        sensors=tuple(_sensors(pairs, trial, len(blocks))),
        drift=drift,
        drift_over_s=_span(pairs),
        flags=tuple(_flags(trial, pairs, left)),
        voids=tuple(visit.why for visit in visits if visit.state is IdleState.VOID),
        visits=len(visits),
    )


def _verdict(
    trial: IdleTrial,
    pairs: Mapping[int, Pair],
    blocks: Sequence[IdleBlock],
    judgement: DifferenceJudgement,
    ended: str,
) -> tuple[Verdict | None, str]:
    slept = [arm.value for arm in Arm if any(_sleeps(pair[arm]) for pair in pairs.values())]
    if slept:
        arms = " and ".join(slept)
        return (
            Verdict.INVALID,
            f"the thread did not poll in all visits of arm {arms}: two ways to poll are compared here",
        )
    if pairs and len(blocks) < len(pairs):
        return Verdict.INVALID, f"{trial.sensor} is not told in all visits"
    if judgement.verdict is None and not judgement.anecdote and ended:
        return Verdict.INCONCLUSIVE, ended
    return judgement.verdict, ended


def _sleeps(visit: IdleVisit) -> bool:
    return visit.demand is not None and visit.demand < _POLLS


def _blocks(pairs: Mapping[int, Pair], sensor: str) -> Iterator[IdleBlock]:
    for number, pair in pairs.items():
        first, second = (pair[arm].readings.get(sensor) for arm in (Arm.A, Arm.B))
        if first is None or second is None:
            continue
        yield IdleBlock(
            number=number,
            order=(Arm.A, Arm.B) if pair[Arm.A].place < pair[Arm.B].place else (Arm.B, Arm.A),
            first=first.mean,
            second=second.mean,
            difference=second.mean - first.mean,
        )


def _sensors(pairs: Mapping[int, Pair], trial: IdleTrial, blocks: int) -> Iterator[SensorEffect]:
    """Yield every sensor that any visit told, with the confidence that the deciding one has."""
    looks = trial.rules.looks
    alpha = next((look.alpha for look in looks if look.blocks >= blocks), looks[-1].alpha)
    kinds = {
        name: one.kind for pair in pairs.values() for visit in pair.values() for name, one in visit.readings.items()
    }
    order = list(Sensor)
    for name, kind in sorted(kinds.items(), key=lambda item: (item[0] != trial.sensor, order.index(item[1]), item[0])):
        both = [pair for pair in pairs.values() if all(name in pair[arm].readings for arm in Arm)]
        a, b = ([pair[arm].readings[name].mean for pair in both] for arm in (Arm.A, Arm.B))
        differences = [second - first for first, second in zip(a, b, strict=True)]
        floor = trial.rules.floor if kind is Sensor.HEAT else 1e-9
        enough = len(differences) >= _LEAST
        yield SensorEffect(
            name=name,
            kind=kind,
            effect=difference_of(differences, alpha=alpha, floor=floor) if enough else None,
            mean_a=statistics.fmean(a) if a else None,
            mean_b=statistics.fmean(b) if b else None,
            why="" if enough else f"told by both arms in {len(both)} of {len(pairs)} blocks",
        )


def _drift(pairs: Mapping[int, Pair], sensor: str) -> tuple[float | None, Celsius | None]:
    """Return arm A's slope per hour (least squares), and what it leaves of itself in the mean of the differences."""
    told = [pair for pair in pairs.values() if all(sensor in pair[arm].readings for arm in Arm)]
    points = [(pair[Arm.A].at_s, pair[Arm.A].readings[sensor].mean) for pair in told]
    if len(points) <= _LEAST or len({at for at, _ in points}) < _LEAST:
        return None, None
    slope = statistics.linear_regression([at for at, _ in points], [value for _, value in points]).slope
    apart_s = statistics.fmean(pair[Arm.B].at_s - pair[Arm.A].at_s for pair in told)
    return slope * _HOUR_S, slope * apart_s


def _span(pairs: Mapping[int, Pair]) -> Seconds:
    at = [pair[Arm.A].at_s for pair in pairs.values()]
    return max(at) - min(at) if at else 0.0


def _flags(trial: IdleTrial, pairs: Mapping[int, Pair], left: Celsius | None) -> Iterator[str]:
    margin = trial.rules.margin
    if left is not None and abs(left) > margin / 2:
        yield f"of the drift {left:+.1f} C may be left in the difference: an even number of blocks leaves none"
    rises = [one.rise for one in _readings(pairs, trial.sensor)]
    moving = sum(abs(rise) > margin for rise in rises)
    if moving:
        yield f"in {moving} of {len(rises)} visits heat still moved while it was measured: give a longer --settle"
    untold = dict.fromkeys(name for pair in pairs.values() for visit in pair.values() for name in visit.untold)
    if untold:
        yield f"that nothing was to do is not shown on all counts; not told: {', '.join(untold)}"
    work = [one.mean for one in _readings(pairs, OTHERS)]
    if work and max(work) - min(work) > _OTHER_WORK:
        yield f"other programs used {min(work):.1f} to {max(work):.1f} cores: that may have warmed one arm more"


def _readings(pairs: Mapping[int, Pair], name: str) -> list[Reading]:
    return [pair[arm].readings[name] for pair in pairs.values() for arm in Arm if name in pair[arm].readings]
