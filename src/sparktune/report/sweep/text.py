"""What the terminal shows of a sweep: the verdict; confirmation, race and screening apart; then what did not run."""

__all__ = ["plan_text", "result_text", "rows_text"]

from collections.abc import Iterator, Sequence

from sparktune.experiment.effect import Better
from sparktune.experiment.plan import Experiment
from sparktune.experiment.sweep_result import SweepResult
from sparktune.model.prediction import Outcome, Prediction
from sparktune.model.sweep import BASELINE, Candidate, Estimate, KnobRange, Stage, Standing, SweepPlan
from sparktune.model.sweep_record import SweepRecord
from sparktune.report.ab.harm_words import harm_lines
from sparktune.report.bench.words import one_line, utc
from sparktune.report.sweep.predict import outcome_lines, prediction_lines
from sparktune.report.sweep.words import (
    change_words,
    confirmation_words,
    constraint_words,
    next_steps,
    sentence,
    verdict_word,
)
from sparktune.units import count_of, format_duration, format_percent

_LEFT_OUT = frozenset({Standing.INFEASIBLE, Standing.UNKNOWN})


def result_text(result: SweepResult, outcomes: Sequence[Outcome] = ()) -> str:
    """Render a sweep; the first line is the verdict."""
    return "\n".join(_lines(result, outcomes)) + "\n"


def plan_text(
    record: SweepRecord,
    experiment: Experiment,
    cost: Sequence[str],
    foretold: Sequence[Prediction] = (),
    *,
    unknown: Sequence[str] = (),
    seen: bool = True,
) -> str:
    """Render what a sweep would do: the space, what was left out of it and why, the stages, and what they cost.

    ``unknown`` says what could not be looked up, and why; with ``seen`` False what runs now is among it.
    """
    plan, primary = record.plan, experiment.primary
    cells = count_of(len(experiment.workload.cells), "cell")
    pairs = plan.pairs and len(plan.ranges) > 1
    raced = "combinations of what wins alone race, too" if pairs else "no combinations"
    lines = [
        f"sweep: {one_line(experiment.name)}; server: {one_line(experiment.base_url)}, launcher {experiment.launcher}",
        *(f"  {_range_words(one, seen=seen)}" for one in plan.ranges),
        *(f"unknown: {one_line(one)}" for one in unknown),
        f"looks for: {primary.metric}, as the geometric mean over {cells}; worth having: {format_percent(plan.margin)}",
        *(f"must hold: {constraint_words(one)} in every cell" for one in plan.constraints),
        f"screening: {count_of(len(plan.screened), 'configuration')}, one knob moved in each, the baseline in between",
        *(f"  {one.key}{_after(one)}" for one in plan.screened),
        f"race: the best of them in up to {count_of(plan.race_blocks, 'block')}; {raced}",
        f"confirmation: the winner against the baseline, up to {record.confirm_blocks} fresh blocks; it alone decides",
        *_pruned(plan),
        *prediction_lines(foretold),
        *cost,
    ]
    return "\n".join(lines) + "\n"


def rows_text(results: Sequence[SweepResult], owners: dict[str, str]) -> str:
    """Render a list of sweeps, one a line; ``owners`` are the living processes that work on some, by their ids."""
    return "".join(_row(result, owners.get(result.record.id, "")) for result in results)


def _row(result: SweepResult, owner: str) -> str:
    record = result.record
    knobs = ", ".join(one.knob for one in record.plan.ranges)
    state = "RUNNING" if owner else "killed" if (word := verdict_word(result)) == "running" else word
    won = f"  {record.winner}" if record.winner else ""
    told = f"  RUNNING: {one_line(owner)}" if owner else ""
    url = one_line(result.experiment.base_url)
    return f"{record.id}  {utc(record.created_wall_s)}  {state:<12}  {knobs}  {url}{won}{told}\n"


def _lines(result: SweepResult, outcomes: Sequence[Outcome]) -> Iterator[str]:
    record = result.record
    yield sentence(result)
    if result.confirmed is not None:
        yield from harm_lines(result.confirmed.harms)
    made = count_of(len(result.visits), "visit")
    yield f"sweep {record.id}: {made} of screening and race took {format_duration(result.took_s)}"
    yield from (f"  {_range_words(one)}" for one in record.plan.ranges)
    if record.why:
        yield f"{'chosen to be confirmed' if record.winner else 'it ended'}: {one_line(record.why)}"
    yield from _confirmation(result)
    metric = result.experiment.primary.metric
    yield from _stage(result, Stage.RACE, f"race ({metric}; it chose whom to confirm):")
    yield from _stage(result, Stage.SCREEN, f"screening ({metric}, one visit each; it chose who races):")
    yield from _unfit(result)
    yield from _pruned(record.plan)
    yield from outcome_lines(outcomes)
    now = result.confirmed.afterwards if result.confirmed is not None else record.afterwards
    if now:
        yield f"now: {one_line(now)}"
    yield from (f"next: {step}" for step in next_steps(result))


def _confirmation(result: SweepResult) -> Iterator[str]:
    if result.confirmed is None:
        return
    yield "confirmation (fresh blocks; it alone decides):"
    told = confirmation_words(result.confirmed, result.record.winner)
    yield f"  experiment {result.record.confirm}: {told}"


def _stage(result: SweepResult, stage: Stage, title: str) -> Iterator[str]:
    found = [one for one in result.known if one.stage is stage and one.standing not in _LEFT_OUT]
    found = [one for one in found if one.candidate.key != BASELINE]
    if found:
        yield title
        yield from (f"  {_known(one, result.experiment.primary.better)}" for one in found)


def _known(one: Estimate, better: Better) -> str:
    why = f": {one_line(one.why)}" if one.why else ""
    return (
        f"{one.candidate.key}  {change_words(one, better)}, {count_of(one.visits, 'visit')}  {one.standing.value}{why}"
    )


def _unfit(result: SweepResult) -> Iterator[str]:
    found = [one for one in result.known if one.standing in _LEFT_OUT]
    if found:
        yield "did not run, or not validly (recorded, and not tried again):"
        yield from (f"  {one.candidate.key}: {one_line(one.why) or one.standing.value}" for one in found)
    over = (one for one in result.known if one.stage is None and one.candidate.key != BASELINE)
    waiting = [one.candidate.key for one in over if one.standing not in _LEFT_OUT]
    if waiting:
        yield f"not visited: {', '.join(waiting)}"


def _after(one: Candidate) -> str:
    return f" (only when {one.after} ran)" if one.after else ""


def _pruned(plan: SweepPlan) -> Iterator[str]:
    if plan.pruned:
        yield "left out before any start:"
        yield from (f"  {one.key}: {one_line(one.why)}{f' ({one.rule})' if one.rule else ''}" for one in plan.pruned)


def _range_words(one: KnobRange, *, seen: bool = True) -> str:
    upwards = ", upwards under the guards" if one.raises_memory else ""
    now = one.baseline or ("not set" if seen else "unknown")
    return f"{one.knob}: {', '.join(one.values)} (now {now}{upwards})"
