"""From an experiment's result to the values that its pictures draw."""

__all__ = ["acceptance_series", "cell_heats", "forest_rows", "pairs", "session", "wave_panels"]

import math
import statistics
from collections.abc import Mapping, Sequence

from sparktune.experiment.blocks import complete_blocks, trial_values
from sparktune.experiment.design import Arm
from sparktune.experiment.effect import Better, Effect
from sparktune.experiment.plan import VisitRecord, VisitState
from sparktune.experiment.result import CellEffect, ExperimentResult, GuardResult, GuardStatus, MeasuredVisit
from sparktune.model.cell import Cell
from sparktune.model.check import Status
from sparktune.model.result import RunResult
from sparktune.report.ab.words import change_words, interval_words
from sparktune.report.bench.words import one_line
from sparktune.report.charts.acceptance import AcceptanceSeries
from sparktune.report.charts.forest import Forest, ForestRow
from sparktune.report.charts.heat import Heat, Tile
from sparktune.report.charts.numbers import Span, unit_of
from sparktune.report.charts.paired import PairedBlock, Pairs
from sparktune.report.charts.session import Lane, Reading, SessionVisit
from sparktune.report.charts.shapes import shape_of
from sparktune.report.charts.streams import solo_of, streams_of
from sparktune.report.charts.wave import WavePanel
from sparktune.report.experiment.material import Material, value_of_block
from sparktune.report.experiment.sensors import AT_END, LANES
from sparktune.units import Seconds, format_percent

_SHADE_LIMIT = math.log(1.3)  # from 30 % on a colour gets no stronger
_GUARD_WORDS = {GuardStatus.OK: "ok", GuardStatus.UNPROVEN: "not shown", GuardStatus.HARMED: "WORSE"}


def pairs(result: ExperimentResult) -> Pairs:
    """Return the blocks with their values, and what B / A came to."""
    primary, effect = result.experiment.primary, result.judgement.effect
    measured = complete_blocks(result.visits)
    blocks = []
    for block in result.blocks:
        a, b = (value_of_block(block.values[arm], primary.weights) for arm in (Arm.A, Arm.B))
        visits = measured.get(block.number, {})
        trials = {arm: _trials(visits[arm], primary.metric, primary.weights) if arm in visits else () for arm in Arm}
        blocks.append(
            PairedBlock(
                label=str(block.number),
                first=block.order[0].value,
                a=a or 0.0,
                b=b or 0.0,
                a_trials=trials[Arm.A],
                b_trials=trials[Arm.B],
            )
        )
    return Pairs(
        metric=primary.metric,
        unit=unit_of(primary.metric),
        more_is_better=primary.better is Better.HIGHER,
        blocks=tuple(blocks),
        change=_own_span(effect, primary.better) if effect is not None else None,
        confidence=format_percent(effect.confidence) if effect is not None else "",
    )


def forest_rows(result: ExperimentResult) -> Forest:
    """Return the primary, the guards, and the observed metrics that have an effect."""
    better = {guard.metric: guard.better for guard in result.experiment.guards}
    guards = (_guard_row(guard, better.get(guard.metric, Better.LOWER)) for guard in result.guards)
    observed = (
        ForestRow(name=one.metric, kind="observed", span=_span(one.effect), words=_effect_words(one.effect, one.better))
        for one in result.observed
        if one.effect is not None
    )
    return Forest(rows=(_primary_row(result), *guards, *observed))


def _primary_row(result: ExperimentResult) -> ForestRow:
    primary, rules, effect = result.experiment.primary, result.experiment.rules, result.judgement.effect
    band = rules.equivalence if rules.only_equivalence else rules.margin
    return ForestRow(
        name=primary.metric,
        kind="primary",
        span=_span(effect),
        words=_effect_words(effect, primary.better) or "fewer than two blocks",
        floor=1 / (1 + band),
        ceiling=1 + band,
        inside="the same" if rules.only_equivalence else "not worth having",
    )


def _guard_row(guard: GuardResult, better: Better) -> ForestRow:
    known = _effect_words(guard.effect, better) or one_line(guard.why)
    return ForestRow(
        name=guard.metric,
        kind="guard",
        span=_span(guard.effect),
        words=f"{_GUARD_WORDS[guard.status]}: {known}",
        floor=1 / (1 + guard.margin),
    )


def cell_heats(result: ExperimentResult) -> tuple[Heat, ...]:
    """Return a grid for each output length, depth and way to arrive; mixes have their own."""
    shapes = {cell.label: cell for cell in result.experiment.workload.cells}
    flags = _flags(result)
    grids: dict[str, list[Tile]] = {}
    order = sorted(result.cells, key=lambda one: _place(shapes.get(one.cell)))
    for one in order:
        cell = shapes.get(one.cell)
        if cell is not None:
            tile = _tile(one, cell, result.experiment.primary.better, flags.get(one.cell, {}))
            grids.setdefault(shape_of(cell).grid, []).append(tile)
    several = len(grids) > 1
    heats = []
    for number, (grid, tiles) in enumerate(grids.items(), start=1):
        heats.append(
            Heat(
                name=f"cells-{number}" if several else "cells",
                title=f"{result.experiment.primary.metric}, B against A: {grid}",
                tiles=tuple(tiles),
            )
        )
    return tuple(heats)


def wave_panels(material: Material) -> tuple[tuple[WavePanel, ...], str]:
    """Return one panel per arm with a recorded wave, and the name of its cell."""
    panels = []
    label = ""
    for arm, trial in material.waves.items():
        label = trial.cell.label
        panels.append(
            WavePanel(
                title=f"arm {arm.value}",
                look=arm.value.lower(),
                streams=streams_of(trial),
                solo=solo_of(_measured(material.result, arm), trial.cell),
            )
        )
    return tuple(panels), label


def session(material: Material) -> tuple[tuple[SessionVisit, ...], tuple[Lane, ...]]:
    """Return every visit that began, in the order of time, and the sensors that were read when they did."""
    result = material.result
    counted = {
        (visit.record.block, visit.record.attempt, visit.record.arm)
        for pair in complete_blocks(result.visits).values()
        for visit in pair.values()
    }
    records = sorted((visit.record for visit in result.visits), key=lambda record: record.started_wall_s)
    zero = records[0].started_wall_s if records else 0.0
    visits = []
    for record in records:
        began = record.started_wall_s - zero
        ended = max(began, (record.ended_wall_s or record.started_wall_s) - zero)
        measured = material.measured_from.get(record.run_id)
        visits.append(
            SessionVisit(
                arm=record.arm.value,
                block=record.block,
                attempt=record.attempt,
                began=began,
                ended=ended,
                measured_from=min(ended, max(began, measured - zero)) if measured is not None else None,
                state=record.state.value,
                counts=record.state is VisitState.DONE and (record.block, record.attempt, record.arm) in counted,
            )
        )
    names = sorted({name.removesuffix(AT_END) for record in records for name in record.sensors})
    lanes = [_lane(name, records, zero) for name in names]
    return tuple(visits), tuple(lane for lane in lanes if lane.readings)


def acceptance_series(result: ExperimentResult) -> tuple[tuple[AcceptanceSeries, ...], str]:
    """Return each arm's shares by position, the median over its visits, in the cell with most streams that has them."""
    found: dict[Cell, dict[Arm, list[tuple[float, ...]]]] = {}
    for pair in complete_blocks(result.visits).values():
        for arm, visit in pair.items():
            for row in visit.result.cells if visit.result is not None else ():
                summary = row.metric("acceptance_per_position")
                if summary is not None and summary.by_position:
                    found.setdefault(row.cell, {}).setdefault(arm, []).append(summary.by_position)
    if not found:
        return (), ""
    cell = max(found, key=lambda cell: (len(found[cell]), cell.concurrency, cell.total_prompt_tokens))
    series = tuple(
        AcceptanceSeries(name=f"arm {arm.value}", look=arm.value.lower(), shares=_positions(found[cell][arm]))
        for arm in Arm
        if arm in found[cell]
    )
    return series, cell.label


def _positions(visits: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
    most = max(len(shares) for shares in visits)
    return tuple(statistics.median(shares[place] for shares in visits if place < len(shares)) for place in range(most))


def _span(effect: Effect | None) -> Span | None:
    return Span(ratio=effect.ratio, low=effect.low, high=effect.high) if effect is not None else None


def _own_span(effect: Effect, better: Better) -> Span:
    """Return B / A of the metric itself, where less may be better."""
    if better is Better.HIGHER:
        return Span(ratio=effect.ratio, low=effect.low, high=effect.high)
    low, middle, high = (1 / value if value > 0 else math.inf for value in (effect.high, effect.ratio, effect.low))
    return Span(ratio=middle, low=low, high=high)


def _effect_words(effect: Effect | None, better: Better) -> str:
    return f"{change_words(effect, better)} {interval_words(effect, better)}" if effect is not None else ""


def _trials(visit: MeasuredVisit, metric: str, weights: Mapping[str, float]) -> tuple[float, ...]:
    if visit.result is None:
        return ()
    cells = trial_values(visit.result, metric)
    found = (
        value_of_block(dict(zip(cells, values, strict=True)), weights) for values in zip(*cells.values(), strict=False)
    )
    return tuple(value for value in found if value is not None)


def _place(cell: Cell | None) -> tuple[int, int, int, int]:
    return (cell.output_tokens, cell.depth, cell.prompt_tokens, cell.concurrency) if cell is not None else (0, 0, 0, 0)


def _flags(result: ExperimentResult) -> dict[str, dict[str, Status]]:
    """Return, by cell, the checks of visits that were not OK, with the worst answer."""
    found: dict[str, dict[str, Status]] = {}
    for visit in result.visits:
        for row in visit.result.cells if visit.result is not None else ():
            for check in row.checks:
                if check.status in {Status.INVALID, Status.WARN}:
                    known = found.setdefault(row.cell.label, {})
                    if known.get(check.id) is not Status.INVALID:
                        known[check.id] = check.status
    return found


def _tile(one: CellEffect, cell: Cell, better: Better, flags: Mapping[str, Status]) -> Tile:
    marks = ", ".join(f"{name} {status.value}" for name, status in sorted(flags.items()))
    effect = one.effect
    known = _effect_words(effect, better) if effect is not None else one_line(one.why) or "unknown"
    holds = "" if effect is None else "; holds" if one.holds else "; not shown to hold"
    return Tile(
        row=shape_of(cell).row,
        column=shape_of(cell).column,
        number=change_words(effect, better) if effect is not None else "unknown",
        under=_short_interval(effect, better) if effect is not None else "",
        shade=_shade(effect) if effect is not None else None,
        solid=one.holds,
        mark=marks,
        invalid=Status.INVALID in flags.values(),
        seen=f"{one.cell}: {known}{holds}{f'; {marks}' if marks else ''}",
    )


def _shade(effect: Effect) -> float:
    return max(-1.0, min(1.0, math.log(effect.ratio) / _SHADE_LIMIT)) if 0 < effect.ratio < math.inf else 0.0


def _short_interval(effect: Effect, better: Better) -> str:
    span = _own_span(effect, better)
    low, high = (format_percent(value - 1, signed=True, digits=0) for value in (span.low or 0.0, span.high or 0.0))
    return f"{low.removesuffix(' %')}…{high}"


def _measured(result: ExperimentResult, arm: Arm) -> list[RunResult]:
    pairs = complete_blocks(result.visits).values()
    return [found for pair in pairs if (found := pair[arm].result) is not None]


def _lane(name: str, records: Sequence[VisitRecord], zero: Seconds) -> Lane:
    suffix = next((suffix for suffix in LANES if name.endswith(suffix)), "")
    unit, factor = LANES.get(suffix, ("", 1.0))
    readings = []
    for record in records:
        instants = ((name, record.started_wall_s, False), (f"{name}{AT_END}", record.ended_wall_s, True))
        for key, at, end in instants:
            value = record.sensors.get(key)
            if value is not None and at is not None and math.isfinite(value):
                readings.append(Reading(at=at - zero, arm=record.arm.value, value=value * factor, end=end))
    shown = one_line(name.removesuffix(suffix).strip()) or name
    return Lane(name=shown, unit=unit, readings=tuple(readings))
