"""The tables of an experiment's page: what the pictures show, in numbers, and what no picture has."""

__all__ = ["block_table", "cell_table", "metric_table", "trial_table", "visit_table"]

import statistics
from collections.abc import Mapping, Sequence

from sparktune.experiment.blocks import trial_values
from sparktune.experiment.design import Arm
from sparktune.experiment.effect import Better, Effect
from sparktune.experiment.memory_curve import curves_by_visit
from sparktune.experiment.outliers import outliers_of
from sparktune.experiment.plan import VisitRecord
from sparktune.experiment.result import CellEffect, ExperimentResult, MeasuredVisit
from sparktune.model.check import Status
from sparktune.report.ab.host_words import memory_words
from sparktune.report.ab.words import change_words, guard_words, interval_words
from sparktune.report.bench.words import UNKNOWN, one_line, utc, value_words
from sparktune.report.charts.numbers import unit_of
from sparktune.report.experiment.material import value_of_block
from sparktune.report.experiment.sensors import sensor_words
from sparktune.report.page.parts import Column, table
from sparktune.report.svg.markup import Markup, element
from sparktune.units import count_of, format_duration, format_percent


def block_table(result: ExperimentResult) -> Markup:
    """Return a row per block that counts."""
    primary = result.experiment.primary
    if not result.blocks:
        return element("p", "No block is complete.", class_="muted")
    unit = unit_of(primary.metric)
    columns = (
        Column(head="block"),
        Column(head="order"),
        Column(head=f"A {_unit(unit)}", number=True),
        Column(head=f"B {_unit(unit)}", number=True),
        Column(head="B against A", number=True),
        Column(head="better", words=True),
    )
    rows = []
    for block in result.blocks:
        a, b = (value_of_block(block.values[arm], primary.weights) for arm in Arm)
        rows.append(
            (
                str(block.number),
                "".join(arm.value for arm in block.order),
                value_words(a, unit),
                value_words(b, unit),
                format_percent(b / a - 1, signed=True) if a and b else UNKNOWN,
                "B" if block.ratio > 0 else "A" if block.ratio < 0 else "neither",
            )
        )
    return table(columns, rows, about="blocks")


def cell_table(result: ExperimentResult) -> Markup:
    """Return a row per cell: both arms, the effect, and what checks say of it."""
    unit = unit_of(result.experiment.primary.metric)
    columns = (
        Column(head="cell"),
        Column(head=f"A {_unit(unit)}", number=True),
        Column(head=f"B {_unit(unit)}", number=True),
        Column(head="B against A", number=True),
        Column(head="interval", number=True),
        Column(head="with all cells"),
        Column(head="flags", words=True),
    )
    flags = _flags(result)
    rows = [(*_cell_words(result, cell), flags.get(cell.cell, "")) for cell in result.cells]
    return table(columns, rows, about="cells")


def _cell_words(result: ExperimentResult, cell: CellEffect) -> tuple[str, ...]:
    """Return what both arms had in a cell, and the effect there."""
    primary, effect = result.experiment.primary, cell.effect
    a, b = (
        _median([block.values[arm][cell.cell] for block in result.blocks if cell.cell in block.values[arm]])
        for arm in Arm
    )
    unit = unit_of(primary.metric)
    return (
        one_line(cell.cell),
        value_words(a, unit),
        value_words(b, unit),
        change_words(effect, primary.better) if effect else UNKNOWN,
        interval_words(effect, primary.better) if effect else one_line(cell.why),
        "holds" if cell.holds else "not shown",
    )


def metric_table(result: ExperimentResult) -> Markup:
    """Return the primary, guards and observed metrics; one without an effect says why."""
    experiment = result.experiment
    columns = (
        Column(head="metric"),
        Column(head="role"),
        Column(head="B against A", number=True),
        Column(head="interval", number=True),
        Column(head="says", words=True),
    )
    better = {guard.metric: guard.better for guard in experiment.guards}
    rows = [_metric_row(experiment.primary.metric, "primary", result.judgement.effect, experiment.primary.better, "")]
    rows += [
        _metric_row(guard.metric, "guard", guard.effect, better.get(guard.metric, Better.LOWER), guard_words(guard))
        for guard in result.guards
    ]
    rows += [
        _metric_row(
            one.metric, "observed", one.effect, one.better, _medians(one.medians, one.metric) or one_line(one.why)
        )
        for one in result.observed
    ]
    return table(columns, rows, about="metrics", listed=True)


def trial_table(result: ExperimentResult) -> Markup:
    """Return every trial's value of the primary by cell and visit; one that stood apart has a star."""
    metric = result.experiment.primary.metric
    unit = unit_of(metric)
    columns = (
        Column(head="cell"),
        Column(head=f"A {_unit(unit)}, by block", words=True),
        Column(head=f"B {_unit(unit)}, by block", words=True),
    )
    rows = []
    for cell in result.experiment.workload.cells:
        by_arm = [
            " · ".join(
                f"{visit.record.block}{_again(visit)}: {_trials(values, unit)}"
                for visit in result.visits
                if visit.record.arm is arm
                and visit.result is not None
                and (values := trial_values(visit.result, metric).get(cell.label))
            )
            for arm in Arm
        ]
        rows.append((cell.label, *(told or UNKNOWN for told in by_arm)))
    return table(columns, rows, about="trials")


def visit_table(result: ExperimentResult) -> Markup:
    """Return a row per visit that began."""
    columns = (
        Column(head="block"),
        Column(head="arm"),
        Column(head="state"),
        Column(head="began"),
        Column(head="took", number=True),
        Column(head="read back before / after", words=True),
        Column(head="remarks", words=True),
    )
    curves = curves_by_visit(result.curves)
    rows = []
    for visit in sorted(result.visits, key=lambda visit: visit.record.started_wall_s):
        record = visit.record
        memory = curves.get((record.block, record.attempt, record.place), ())
        rows.append((*_visit_words(visit), _remarks(record, [memory_words(curve) for curve in memory])))
    return table(columns, rows, about="visits", listed=True)


def _visit_words(visit: MeasuredVisit) -> tuple[str, ...]:
    """Return which visit it was, how it ended and how long it took, and what was read back."""
    record = visit.record
    before, after = _live(record.live_before), _live(record.live_after)
    return (
        f"{record.block}{_again(visit)}",
        record.arm.value,
        record.state.value,
        utc(record.started_wall_s),
        format_duration(record.ended_wall_s - record.started_wall_s) if record.ended_wall_s else UNKNOWN,
        before if before == after else f"{before} / {after}",
    )


def _remarks(record: VisitRecord, memory: Sequence[str]) -> str:
    sensors = (sensor_words(name, value) for name, value in record.sensors.items())
    return "; ".join(one_line(remark) for remark in (record.why, *record.notes, *memory, *sensors) if remark)


def _metric_row(name: str, role: str, effect: Effect | None, better: Better, says: str) -> tuple[str, ...]:
    change = change_words(effect, better) if effect else UNKNOWN
    interval = interval_words(effect, better) if effect else ""
    way = "more is better" if better is Better.HIGHER else "less is better"
    return name, role, change, interval, f"{says}; {way}" if says else way


def _medians(medians: Mapping[Arm, float], metric: str) -> str:
    return ", ".join(f"{arm.value} {value_words(medians[arm], unit_of(metric))}" for arm in Arm if arm in medians)


def _flags(result: ExperimentResult) -> dict[str, str]:
    """Return what visits' checks had to say of each cell, and what bounds it."""
    found: dict[str, dict[str, None]] = {}
    for visit in result.visits:
        for row in visit.result.cells if visit.result is not None else ():
            marks = found.setdefault(row.cell.label, {})
            for check in row.checks:
                if check.status in {Status.INVALID, Status.WARN}:
                    marks[f"{check.id} {check.status.value} (arm {visit.record.arm.value})"] = None
            if row.label:
                marks[row.label] = None
            failed = sum(row.failures.values())
            if failed:
                marks[
                    f"{count_of(failed, 'request')} failed in block {visit.record.block} {visit.record.arm.value}"
                ] = None
    return {cell: ", ".join(map(one_line, marks)) for cell, marks in found.items()}


def _trials(values: Sequence[float], unit: str) -> str:
    apart = set(outliers_of(values)) if min(values) > 0 else set()
    return " ".join(f"{value_words(value, unit)}{'*' if place in apart else ''}" for place, value in enumerate(values))


def _again(visit: MeasuredVisit) -> str:
    return f" (attempt {visit.record.attempt})" if visit.record.attempt > 1 else ""


def _live(found: Mapping[str, str]) -> str:
    return ", ".join(f"{one_line(name)} = {one_line(value)}" for name, value in found.items()) or "not recorded"


def _unit(unit: str) -> str:
    return f"({unit})" if unit == "tok/s" else ""


def _median(values: Sequence[float]) -> float | None:
    return statistics.median(values) if values else None
