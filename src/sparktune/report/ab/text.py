"""What the terminal shows of an experiment: the verdict first, then blocks, cells, guards and checks."""

__all__ = ["plan_text", "result_text", "rows_text"]

from collections.abc import Iterator, Mapping, Sequence

from sparktune.bench.quality.battery import BATTERY
from sparktune.bench.quality.canary_prompts import CANARY
from sparktune.experiment.design import Arm
from sparktune.experiment.effect import Better, Effect
from sparktune.experiment.plan import Experiment, VisitState
from sparktune.experiment.planning import provable_noise
from sparktune.experiment.result import BlockResult, ExperimentResult
from sparktune.model.check import Status
from sparktune.model.experiment_row import ExperimentRow, ExperimentState
from sparktune.report.ab.harm_words import harm_lines
from sparktune.report.ab.host_words import host_lines
from sparktune.report.ab.observed_words import observed_lines
from sparktune.report.ab.steps import next_steps
from sparktune.report.ab.words import change_words, guard_words, interval_words, reasons, sentence
from sparktune.report.bench.words import one_line, setting_words, utc
from sparktune.units import count_of, format_bytes, format_duration, format_percent, format_rate, format_seconds

_SHOWN_VALUES = 6


def result_text(result: ExperimentResult, *, whole: bool = False) -> str:
    """Render a result; the first line is the verdict. ``whole``: with every metric that decides nothing."""
    return "\n".join(_lines(result, whole=whole)) + "\n"


def plan_text(experiment: Experiment, cost: Sequence[str]) -> str:
    """Render what an experiment would do: arms, cells, blocks in their order, and what that costs and finds."""
    rules, primary = experiment.rules, experiment.primary
    less = "more" if primary.better is Better.HIGHER else "less"
    looks = ", ".join(str(look.blocks) for look in rules.looks if look.blocks <= len(experiment.blocks))
    decides = f"after {looks} blocks" if looks else "never: fewer blocks than 3 are an anecdote"
    trials = count_of(experiment.workload.trials, "trial")
    lines = [
        f"experiment: {one_line(experiment.name)}; {one_line(experiment.knob)} differs",
        f"server: {one_line(experiment.base_url)}; launcher {experiment.launcher}",
        *(f"arm {arm.value}: {one_line(_settings(experiment, arm))}" for arm in Arm),
        f"decides: {primary.metric} ({less} is better), as the geometric mean over cells; a verdict {decides}",
        *_margins(experiment),
        *(f"guard: {guard.metric}, no worse by {format_percent(guard.margin)}" for guard in experiment.guards),
        f"each visit: {trials} per cell, {count_of(len(experiment.workload.cells), 'cell')}",
        *_quality(experiment),
        *_protection(experiment),
        f"order (seed {experiment.seed}):",
        *(f"  {line}" for line in _order(experiment)),
        *cost,
    ]
    return "\n".join(lines) + "\n"


def _margins(experiment: Experiment) -> Iterator[str]:
    rules = experiment.rules
    same = format_percent(rules.equivalence)
    if not rules.only_equivalence:
        yield f"worth having: {format_percent(rules.margin)}; the same within {same}"
        return
    yield f"to be shown: two ways to run the same, within {same} of each other; no arm can win"
    looks = [look for look in rules.looks if look.blocks <= len(experiment.blocks)]
    noise = [
        (look.blocks, provable_noise(rules.equivalence, look.blocks, look.alpha, floor=rules.floor)) for look in looks
    ]
    told = ", ".join(
        f"{blocks} blocks when they differ by {format_percent(most)} or less" for blocks, most in noise if most > 0
    )
    few = "fewer than 3 blocks" if not looks else f"so few blocks as {looks[-1].blocks} never show {same}"
    yield f"proves {same}, four times in five: {told}" if told else f"proves nothing: {few}"


def _quality(experiment: Experiment) -> Iterator[str]:
    plan = experiment.quality
    if plan is None:
        return
    asked = [f"{len(BATTERY)} tool calls"] if plan.tools else []
    asked += [f"{len(CANARY)} prompts of the canary"] if plan.canary else []
    when = "after the trials of each visit" if plan.every == "visit" else "after the trials of each arm's first visit"
    yield (
        f"asked {when}, in no number of speed: {', '.join(asked)}; B may lose less than {format_percent(plan.margin)}, "
        f"and {format_duration(plan.limit_s)} of time at most"
    )


def _protection(experiment: Experiment) -> Iterator[str]:
    protection = experiment.protection
    if not protection.on:
        yield "guards of the hosts: off"
        return
    floor = protection.limits.available_floor
    below = f"stop below {format_bytes(floor)} of available memory, and more" if floor else "no memory floor"
    engine = "; the engine is ended then" if protection.stop_engine else ""
    tail = f"; {format_duration(protection.tail_s)} are watched after each visit" if protection.tail_s else ""
    yield f"guards of the hosts: {below}{engine}{tail}"
    if len(experiment.workload.cells) > 1:
        yield "block 1 goes from the lightest cell to the heaviest, each only with memory for it; then at random"


def rows_text(rows: Sequence[ExperimentRow], owners: Mapping[str, str]) -> str:
    """Render a list of experiments, one a line; ``owners`` are the living processes that work on some, by their ids."""
    return "".join(
        f"{row.id}  {utc(row.created_wall_s)}  {_row_state(row, owners.get(row.id, '')):<12}  {one_line(row.knob)}"
        f"  {row.metric}  {one_line(row.base_url)}{_row_remark(row, owners.get(row.id, ''))}\n"
        for row in rows
    )


def _row_state(row: ExperimentRow, owner: str) -> str:
    """Return the verdict, else where it stands: what says that it is running, and has no process, was killed."""
    if owner:
        return "RUNNING"
    return row.verdict or ("killed" if row.state is ExperimentState.RUNNING else row.state.value)


def _row_remark(row: ExperimentRow, owner: str) -> str:
    if owner:
        return f"  RUNNING: {one_line(owner)}"
    against = f"  BUT {one_line(row.caveat)}" if row.caveat else ""
    return f"{against}  HOLDS SOMETHING: sparktune ab resume {row.id} --restore-only" if row.holds else against


def _lines(result: ExperimentResult, *, whole: bool) -> Iterator[str]:
    experiment = result.experiment
    yield sentence(result)
    yield from harm_lines(result.harms)
    yield from (f"  {line}" for line in reasons(result))
    yield f"experiment {experiment.id}: {one_line(experiment.name)}; {one_line(experiment.knob)}"
    yield from (f"  arm {arm.value}: {one_line(_settings(experiment, arm))}" for arm in Arm)
    if result.afterwards:
        yield f"now: {one_line(result.afterwards)}"
    if result.blocks:
        yield ""
        yield f"blocks ({experiment.primary.metric}):"
        yield from (f"  {_block(result, block)}" for block in result.blocks)
    if len(result.cells) > 1:
        yield "cells (they hold when all are judged together; exploratory otherwise):"
        yield from (f"  {line}" for line in _cells(result))
    if result.guards:
        yield "guards:"
        yield from (
            f"  {guard_words(guard)}{_effect(guard.effect, _better(result, guard.metric))}" for guard in result.guards
        )
    yield from observed_lines(result, whole=whole)
    yield from _checks(result)
    yield from host_lines(result)
    yield from _left_out(result)
    yield from (f"note: {one_line(note)}" for note in result.notes)
    yield from (f"next: {step}" for step in next_steps(result))


def _block(result: ExperimentResult, block: BlockResult) -> str:
    order = "".join(arm.value for arm in block.order)
    cells = list(block.values[Arm.A])[:_SHOWN_VALUES]
    values = "; ".join(
        f"{cell}: A {_value(result, block, Arm.A, cell)}, B {_value(result, block, Arm.B, cell)}" for cell in cells
    )
    return f"{block.number} {order}: {values}"


def _value(result: ExperimentResult, block: BlockResult, arm: Arm, cell: str) -> str:
    value = block.values[arm].get(cell)
    if value is None:
        return "unknown"
    return (
        format_seconds(value)
        if result.experiment.primary.metric.endswith("_s") and not _is_rate(result)
        else format_rate(value)
    )


def _is_rate(result: ExperimentResult) -> bool:
    return result.experiment.primary.metric.endswith("tok_s")


def _cells(result: ExperimentResult) -> Iterator[str]:
    for cell in result.cells:
        if cell.effect is None:
            yield f"{cell.cell}: {cell.why}"
            continue
        better = result.experiment.primary.better
        holds = "holds" if cell.holds else "does not hold alone"
        yield f"{cell.cell}: {change_words(cell.effect, better)} {interval_words(cell.effect, better)}, {holds}"


def _effect(effect: Effect | None, better: Better) -> str:
    return f": {change_words(effect, better)} {interval_words(effect, better)}" if effect is not None else ""


def _better(result: ExperimentResult, metric: str) -> Better:
    return next((guard.better for guard in result.experiment.guards if guard.metric == metric), Better.HIGHER)


def _checks(result: ExperimentResult) -> Iterator[str]:
    for status in (Status.INVALID, Status.WARN):
        for check in result.checks:
            if check.status is status:
                yield f"{status.value} {check.id}: {one_line(check.evidence)}"
    unknown = [check.id for check in result.checks if check.status is Status.UNKNOWN]
    if unknown:
        yield f"could not be evaluated: {', '.join(unknown)}"
    passed = [check.id for check in result.checks if check.status is Status.OK]
    if passed:
        yield f"checks ok: {', '.join(passed)}"


def _left_out(result: ExperimentResult) -> Iterator[str]:
    for visit in result.visits:
        record = visit.record
        if record.state is not VisitState.DONE:
            why = one_line(record.why) or "it did not end"
            yield f"not counted: block {record.block}, attempt {record.attempt}, arm {record.arm.value}: {why}"


def _settings(experiment: Experiment, arm: Arm) -> str:
    settings = experiment.arms[arm]
    return "; ".join(f"{name}: {setting_words(value)}" for name, value in settings.items()) or "as it is"


def _order(experiment: Experiment) -> Iterator[str]:
    cells = experiment.workload.cells
    for block in experiment.blocks:
        visits = ", then ".join(arm.value for arm in block.visits)
        yield f"block {block.number}: {visits}; cells {', '.join(cells[place].label for place in block.cells)}"
