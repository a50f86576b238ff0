"""A block of Markdown to paste into a forum: the verdict with n, interval, order and flags, then two small tables."""

__all__ = ["experiment_markdown"]

from collections.abc import Iterator, Sequence

from sparktune.experiment.design import Arm
from sparktune.experiment.effect import Better, Effect
from sparktune.experiment.result import ExperimentResult
from sparktune.model.check import Status
from sparktune.report.ab.harm_words import harm_lines
from sparktune.report.ab.host_words import host_lines
from sparktune.report.ab.words import change_words, guard_words, interval_words, order_words, reasons, sentence
from sparktune.report.bench.words import UNKNOWN, engine_words, utc
from sparktune.report.charts.numbers import unit_of
from sparktune.report.experiment.material import value_of_block
from sparktune.report.experiment.words import caution, model_words, settings_lines
from sparktune.report.markdown import escaped, titled_list
from sparktune.units import count_of, format_percent, format_rate, format_seconds

_MOST_CELLS = 24


def experiment_markdown(result: ExperimentResult) -> str:
    """Render the result as GitHub-flavoured Markdown."""
    return "\n".join(_lines(result)) + "\n"


def _lines(result: ExperimentResult) -> Iterator[str]:
    experiment = result.experiment
    yield f"**{escaped(sentence(result))}**"
    yield ""
    if told := caution(result):
        yield f"_{escaped(told)}_"
        yield ""
    for warning in harm_lines(result.harms):
        yield f"**{escaped(warning)}**"
        yield ""
    arms = settings_lines(experiment)
    yield f"{escaped(experiment.knob)}: A = {escaped(arms[Arm.A])}; B = {escaped(arms[Arm.B])}"
    yield ""
    yield from _table(("what", "value"), _facts(result))
    if result.blocks:
        yield ""
        yield from _table(("block", "order", "A", "B", "B against A"), _blocks(result))
    cells = _cells(result)
    if len(cells) > 1:
        yield ""
        yield from _table(("cell", "B against A", "interval", "with all cells"), cells[:_MOST_CELLS])
        if cells[_MOST_CELLS:]:
            yield ""
            yield f"and {count_of(len(cells) - _MOST_CELLS, 'cell')} more in the report"
    yield from titled_list("Flags", _flags(result))
    yield from titled_list("Notes", (*reasons(result), *host_lines(result), *result.notes))


def _facts(result: ExperimentResult) -> Iterator[tuple[str, ...]]:
    experiment, effect = result.experiment, result.judgement.effect
    better = experiment.primary.better
    yield "primary", f"{experiment.primary.metric} ({'more' if better is Better.HIGHER else 'less'} is better)"
    yield "effect of B", _effect(effect, better)
    yield "n", f"{count_of(len(result.blocks), 'block')} of {len(experiment.blocks)} planned"
    yield "order", order_words(result) or "none yet"
    yield "B won", f"{effect.wins} of {effect.blocks}" if effect is not None else UNKNOWN
    for guard in result.guards:
        known = f", {_effect(guard.effect, _way(result, guard.metric))}" if guard.effect is not None else ""
        yield "guard", f"{guard_words(guard)}{known}"
    for one in result.observed:
        if one.effect is not None:
            yield "observed", f"{one.metric} {_effect(one.effect, one.better)}"
    yield "outliers", f"{count_of(result.outliers, 'trial')} stood apart; all kept"
    yield from _circumstances(result)


def _circumstances(result: ExperimentResult) -> Iterator[tuple[str, ...]]:
    experiment = result.experiment
    run = next((visit.result.run for visit in result.visits if visit.result is not None), None)
    yield "model", model_words(result)
    if run is not None:
        yield "engine", engine_words(run.engine)
        yield "measured by", f"sparktune {run.provenance.tool_version} on {run.provenance.machine}"
    yield "experiment", f"{experiment.id}, {utc(experiment.created_wall_s)}"


def _effect(effect: Effect | None, better: Better) -> str:
    if effect is None:
        return UNKNOWN
    confidence = format_percent(effect.confidence)
    return f"{change_words(effect, better)} {interval_words(effect, better)} ({confidence}, n = {effect.blocks})"


def _way(result: ExperimentResult, metric: str) -> Better:
    return next((guard.better for guard in result.experiment.guards if guard.metric == metric), Better.LOWER)


def _blocks(result: ExperimentResult) -> Iterator[tuple[str, ...]]:
    primary = result.experiment.primary
    for block in result.blocks:
        a, b = (value_of_block(block.values[arm], primary.weights) for arm in Arm)
        change = format_percent(b / a - 1, signed=True) if a and b else UNKNOWN
        values = (_value(a, primary.metric), _value(b, primary.metric))
        yield str(block.number), "".join(arm.value for arm in block.order), *values, change


def _value(value: float | None, metric: str) -> str:
    if value is None:
        return UNKNOWN
    unit = unit_of(metric)
    return format_seconds(value) if unit == "s" else f"{format_rate(value)}{' tok/s' if unit == 'tok/s' else ''}"


def _cells(result: ExperimentResult) -> list[tuple[str, ...]]:
    better = result.experiment.primary.better
    return [
        (
            cell.cell,
            change_words(cell.effect, better) if cell.effect is not None else UNKNOWN,
            interval_words(cell.effect, better) if cell.effect is not None else cell.why,
            "holds" if cell.holds else "not shown",
        )
        for cell in result.cells
    ]


def _flags(result: ExperimentResult) -> list[str]:
    found = [
        f"{check.id} {check.status.value}: {check.evidence}"
        for status in (Status.INVALID, Status.WARN)
        for check in result.checks
        if check.status is status
    ]
    unknown = [check.id for check in result.checks if check.status is Status.UNKNOWN]
    lost = [visit.record for visit in result.visits if visit.record.state.value != "done"]
    found += [f"not judged: {', '.join(unknown)}"] if unknown else []
    found += [
        f"visit of block {record.block} {record.arm.value} does not count ({record.state.value}): {record.why}"
        for record in lost
    ]
    found += ["fragile: without one of its blocks it would not be shown"] if result.judgement.fragile else []
    return found or ["none"]


def _table(heads: Sequence[str], rows: Iterator[tuple[str, ...]] | Sequence[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{' --- |' * len(heads)}"
    for row in rows:
        yield f"| {' | '.join(map(escaped, row))} |"
