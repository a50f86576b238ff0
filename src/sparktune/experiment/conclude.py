"""The conclusion of an experiment from everything that was measured; validity goes before statistics."""

__all__ = ["conclude", "missing_primary"]

import math
import statistics
from collections.abc import Callable, Mapping, Sequence

from sparktune.experiment.blocks import MetricBlocks, Pair, complete_blocks, metric_blocks, trial_values
from sparktune.experiment.cell_harm import cell_harms
from sparktune.experiment.design import Arm
from sparktune.experiment.effect import Better, Effect, effect_of, holm, p_value
from sparktune.experiment.outliers import outliers_of
from sparktune.experiment.plan import Experiment, GuardMetric, VisitState
from sparktune.experiment.planning import chance_of_verdict, smallest_detectable
from sparktune.experiment.quality_guard import quality_guards
from sparktune.experiment.result import (
    BlockResult,
    CellEffect,
    ExperimentResult,
    GuardResult,
    GuardStatus,
    MeasuredVisit,
    MetricEffect,
)
from sparktune.experiment.verdict import Judgement, Verdict, judge
from sparktune.model.check import CheckResult, Status

# A guard asks one question, on one side: so the interval of 90 % has its bound at 5 %.
_GUARD_ALPHA = 0.10
_LEAST = 2
_VOID = frozenset({Verdict.INVALID, Verdict.STOPPED})
_FALSE_ALARM = (
    "the same arm differs from itself: the false alarm that one experiment in twenty may give, or something besides "
    "the arm changes with the order of visits"
)


def conclude(
    experiment: Experiment,
    visits: Sequence[MeasuredVisit],
    checks: Sequence[CheckResult],
    observed: Mapping[str, Better],
    draw: Callable[[], float],
) -> ExperimentResult:
    """Return the result so far.

    ``checks`` are those of the whole experiment; ``observed`` are metrics to report beside the primary; ``draw`` gives
    standard normal numbers from a seeded generator.
    """
    blocks = complete_blocks(visits)
    primary = _blocks_of(experiment, blocks, experiment.primary.metric, experiment.primary.better)
    judgement = judge(primary.ratios, experiment.rules)
    verdict, why = _verdict(judgement, visits, checks, primary.why if blocks else "", aa=experiment.aa)
    watched = {guard.metric: _blocks_of(experiment, blocks, guard.metric, guard.better) for guard in experiment.guards}
    guards = tuple(_guard(experiment, watched[guard.metric], guard) for guard in experiment.guards)
    by_metric = {name: found.by_cell for name, found in {**watched, experiment.primary.metric: primary}.items()}
    return ExperimentResult(
        experiment=experiment,
        verdict=verdict,
        judgement=judgement,
        why=why,
        blocks=_block_results(blocks, primary),
        cells=_cells(experiment, primary),
        guards=(*guards, *quality_guards(experiment.quality, blocks)),
        observed=tuple(_observed(experiment, blocks, name, better) for name, better in observed.items()),
        checks=tuple(checks),
        visits=tuple(visits),
        outliers=_outliers(experiment, blocks),
        smallest_detectable=_detectable(experiment, judgement),
        chance=_chance(experiment, primary.ratios, judgement, draw),
        harms=() if verdict in _VOID else cell_harms(experiment, judgement, by_metric, guards, len(blocks)),
    )


def missing_primary(experiment: Experiment, visits: Sequence[MeasuredVisit]) -> str:
    """Say which value of the primary a finished block lacks: no verdict can come any more; "" where all are there."""
    blocks = complete_blocks(visits)
    return _blocks_of(experiment, blocks, experiment.primary.metric, experiment.primary.better).why if blocks else ""


def _verdict(
    judgement: Judgement, visits: Sequence[MeasuredVisit], checks: Sequence[CheckResult], missing: str, *, aa: bool
) -> tuple[Verdict | None, str]:
    stopped = next((visit.record for visit in visits if visit.record.state is VisitState.STOPPED), None)
    if stopped is not None:
        return Verdict.STOPPED, stopped.why
    invalid = [check for check in checks if check.status is Status.INVALID]
    if invalid:
        return Verdict.INVALID, "; ".join(f"{check.id}: {check.evidence}" for check in invalid)
    if missing:
        return Verdict.INVALID, missing
    if aa and judgement.verdict in {Verdict.IMPROVED, Verdict.REGRESSED, Verdict.DIFFERENT}:
        return Verdict.INVALID, _FALSE_ALARM
    return judgement.verdict, ""


def _blocks_of(experiment: Experiment, blocks: Mapping[int, Pair], metric: str, better: Better) -> MetricBlocks:
    return metric_blocks(blocks, metric, better, experiment.primary.weights)


def _block_results(blocks: Mapping[int, Pair], primary: MetricBlocks) -> tuple[BlockResult, ...]:
    if primary.why:
        return ()
    return tuple(
        BlockResult(
            number=number,
            order=(Arm.A, Arm.B) if pair[Arm.A].record.place < pair[Arm.B].record.place else (Arm.B, Arm.A),
            values=values,
            ratio=ratio,
        )
        for (number, pair), values, ratio in zip(blocks.items(), primary.values, primary.ratios, strict=True)
    )


def _effect(ratios: Sequence[float], alpha: float, floor: float) -> Effect | None:
    return effect_of(ratios, alpha=alpha, floor=floor) if len(ratios) >= _LEAST else None


def _cells(experiment: Experiment, primary: MetricBlocks) -> tuple[CellEffect, ...]:
    rules = experiment.rules
    known = {cell: ratios for cell, ratios in primary.by_cell.items() if len(ratios) >= _LEAST}
    enough = {cell: ratios for cell, ratios in known.items() if len(ratios) >= rules.looks[0].blocks}
    chances = {cell: p_value(ratios, floor=rules.floor) for cell, ratios in enough.items()}
    blocks = max(map(len, enough.values()), default=0)
    # Of all looks this is one: a cell has no more chances to err than the primary.
    look = next((look for look in rules.looks if look.blocks >= blocks), rules.last)
    holding = holm(chances, look.alpha)
    labels = [cell.label for cell in experiment.workload.cells]
    return tuple(
        CellEffect(
            cell=cell,
            effect=_effect(known.get(cell, ()), rules.alpha, rules.floor),
            holds=cell in holding,
            why="" if cell in known else "not measured in two blocks",
        )
        for cell in labels
    )


def _guard(experiment: Experiment, found: MetricBlocks, guard: GuardMetric) -> GuardResult:
    effect = _effect(found.ratios, _GUARD_ALPHA, experiment.rules.floor)
    least = 1 / (1 + guard.margin)
    status = GuardStatus.UNPROVEN
    if effect is not None and effect.blocks >= experiment.rules.looks[0].blocks:
        status = GuardStatus.OK if effect.low > least else GuardStatus.HARMED if effect.high < least else status
    return GuardResult(metric=guard.metric, margin=guard.margin, status=status, effect=effect, why=found.why)


def _observed(experiment: Experiment, blocks: Mapping[int, Pair], metric: str, better: Better) -> MetricEffect:
    found = _blocks_of(experiment, blocks, metric, better)
    medians = {arm: _geometric([value for block in found.values for value in block[arm].values()]) for arm in Arm}
    return MetricEffect(
        metric=metric,
        better=better,
        effect=_effect(found.ratios, experiment.rules.alpha, experiment.rules.floor),
        medians={arm: value for arm, value in medians.items() if value is not None},
        why=found.why,
    )


def _geometric(values: Sequence[float]) -> float | None:
    above = [value for value in values if value > 0]
    return math.exp(statistics.fmean(map(math.log, above))) if above and len(above) == len(values) else None


def _outliers(experiment: Experiment, blocks: Mapping[int, Pair]) -> int:
    results = [visit.result for pair in blocks.values() for visit in pair.values() if visit.result is not None]
    series = [values for result in results for values in trial_values(result, experiment.primary.metric).values()]
    return sum(len(outliers_of(values)) for values in series if min(values) > 0)


def _detectable(experiment: Experiment, judgement: Judgement) -> float | None:
    if judgement.effect is None:
        return None
    rules = experiment.rules
    last, deviation = rules.last, judgement.effect.deviation
    return smallest_detectable(deviation, last.blocks, last.alpha, margin=rules.margin, floor=rules.floor)


def _chance(
    experiment: Experiment, ratios: Sequence[float], judgement: Judgement, draw: Callable[[], float]
) -> float | None:
    if judgement.verdict is not None or len(ratios) < _LEAST:
        return None
    return chance_of_verdict(ratios, experiment.rules, draw)
