"""What is said of a sweep: its verdict in one sentence, what a visit told, what comes next."""

__all__ = [
    "REPORT",
    "best_words",
    "change_words",
    "confirmation_words",
    "constraint_words",
    "end_words",
    "learned_words",
    "named",
    "next_steps",
    "sentence",
    "stage_words",
    "task_words",
    "verdict_word",
]

import math
from typing import Final

from sparktune.experiment.effect import Better
from sparktune.experiment.result import ExperimentResult
from sparktune.experiment.search import typical_visit_s
from sparktune.experiment.sweep_result import SweepResult
from sparktune.model.sweep import (
    BASELINE,
    Constraint,
    Estimate,
    Stage,
    Standing,
    SweepState,
    SweepVisit,
    VisitEnd,
    VisitTask,
)
from sparktune.report.ab.steps import keep_steps
from sparktune.report.ab.words import sentence as ab_sentence
from sparktune.report.bench.words import one_line
from sparktune.units import count_of, format_duration, format_percent

_SHOWN: Final = 3
_STAGES: Final = {Stage.SCREEN: "screening", Stage.RACE: "race", Stage.CONFIRM: "confirmation"}
_ENDS: Final = {
    VisitEnd.MEASURED: "measured",
    VisitEnd.INFEASIBLE: "does not run",
    VisitEnd.STOPPED: "stopped by a guard",
    VisitEnd.REFUSED: "not live",
    VisitEnd.VOID: "void",
}
_CHOOSES: Final = "what chose it proves nothing"
_NOT_RUN: Final = frozenset({Standing.INFEASIBLE, Standing.UNKNOWN})
REPORT: Final = "sparktune sweep report"
"""What makes the page of a sweep: no next step for who reads that page."""


def sentence(result: SweepResult) -> str:
    """Return the verdict in one sentence: a winner is what fresh blocks have confirmed, and nothing else is."""
    record = result.record
    if result.confirmed is not None and result.confirmed.verdict is not None:
        return f"{_decided(result)}; {confirmation_words(result.confirmed, 'it')}"
    if record.winner:
        return f"NOT CONFIRMED YET: {record.winner} looked best{_looked(result)}; {_CHOOSES}"
    if record.state is SweepState.DONE:
        return f"NO WINNER: {one_line(record.why) or 'nothing looked better than the baseline'}"
    done = count_of(len(result.visits), "visit")
    why = f": {one_line(record.why)}" if record.why else ""
    return f"NO RESULT YET: {done} made, {result.left} to come at most{why}"


def confirmation_words(confirmed: ExperimentResult, winner: str) -> str:
    """Return what fresh blocks came to: ``winner`` is what the configuration is called there, and never B."""
    return ab_sentence(confirmed, names=(named(BASELINE), winner))


def verdict_word(result: SweepResult) -> str:
    """Return the verdict in a word, for lists and JSON: winner, unproven, none, unconfirmed, running, interrupted.

    winner alone says that it may be used. unproven: it is better, and a guard is not shown to hold; what makes a guard
    worse is none.
    """
    if result.confirmed is not None and result.confirmed.verdict is not None:
        return "winner" if result.won else "unproven" if result.unproven else "none"
    if result.record.winner:
        return "unconfirmed"
    return "none" if result.record.state is SweepState.DONE else result.record.state.value


def task_words(result: SweepResult, task: VisitTask) -> str:
    """Return what is visited now, and what of the budget is used."""
    number, most = len(result.visits) + 1, len(result.visits) + result.left
    of = f" of at most {most}" if most >= number else ""
    budget = f"; {_budget(result)}" if result.plan.budget_s is not None else ""
    what = f"setting {named(task.candidate.key)} ({one_line(task.why)})"
    return f"visit {number}{of}, {stage_words(task.stage)}: {what}{budget}"


def learned_words(result: SweepResult, visit: SweepVisit) -> str:
    """Return what a visit told."""
    took = f"; it took {format_duration(visit.took_s)}" if visit.took_s else ""
    if visit.end is not VisitEnd.MEASURED:
        return f"{named(visit.key)} {end_words(visit.end)}: {one_line(visit.why)}{took}"
    known = next((one for one in result.known if one.candidate.key == visit.key), None)
    if visit.key == BASELINE or known is None or known.log_ratio is None:
        return f"{named(visit.key)}: {_metric(result)} {_measured(result, visit)}{took}"
    return f"{visit.key}: {change_words(known, _better(result))} against the baseline so far, {_visits(known)}{took}"


def best_words(result: SweepResult) -> str:
    """Return the best so far, once something was compared, and what is left to do at the pace of the visits so far."""
    known = [one for one in result.known if one.log_ratio is not None and one.standing in _IN]
    ahead = [one for one in known if (one.log_ratio or 0.0) > 0]
    best = sorted(ahead, key=lambda one: -(one.log_ratio or 0.0))[:_SHOWN]
    told = ", ".join(f"{one.candidate.key} {change_words(one, _better(result))}" for one in best)
    left = f"at most {count_of(result.left, 'visit')} to come" if result.left else "no visit to come"
    one_s = typical_visit_s(result.plan, result.visits)
    hours = f", about {format_duration(result.left * one_s)}" if result.left and one_s else ""
    if not known:
        return f"{left}{hours}"
    said = f"best so far (chooses, proves nothing): {told}" if told else "nothing looks better than the baseline so far"
    return f"{said}; {left}{hours}"


def change_words(known: Estimate, better: Better) -> str:
    """Return how the metric itself changed, with its standard error, in percent: less is a minus, whichever is better.

    "unknown" where it was not measured.
    """
    if known.log_ratio is None:
        return "unknown"
    change = format_percent(math.expm1(known.log_ratio if better is Better.HIGHER else -known.log_ratio), signed=True)
    return change if known.error is None else f"{change} (+- {format_percent(known.error)})"


def stage_words(stage: Stage) -> str:
    """Return how a stage is called."""
    return _STAGES[stage]


def end_words(end: VisitEnd) -> str:
    """Return how a visit ended, as what is said of its configuration."""
    return _ENDS[end]


def named(key: str) -> str:
    """Return how a configuration is called in a sentence."""
    return "the baseline" if key == BASELINE else key


def constraint_words(one: Constraint) -> str:
    """Return a constraint as it is written after ``--constraint``."""
    return f"{one.metric}{'<=' if one.at == 'most' else '>='}{one.limit:g}"


def next_steps(result: SweepResult) -> tuple[str, ...]:
    """Return the commands that come next."""
    record = result.record
    if result.confirmed is not None and result.confirmed.verdict is not None:
        shown = f"sparktune ab show {record.confirm}"
        better = result.won or result.harmful or result.unproven
        first = keep_steps(result.confirmed, one_line(record.winner)) if better else ()
        return (*first, *([f"sparktune earned accept {record.confirm}"] if result.won else []), shown)
    if record.winner or record.state is not SweepState.DONE:
        return (f"sparktune sweep resume {record.id}",)
    return (_after_nothing(result), f"{REPORT} {record.id}")


def _after_nothing(result: SweepResult) -> str:
    """Return what to do after a search that chose nobody, by what stood in the way."""
    tried = [one for one in result.known if one.candidate.key != BASELINE]
    base = {visit.end for visit in result.visits if visit.key == BASELINE}
    left = [one for one in tried if one.stage is None and one.standing not in _NOT_RUN]
    if base and VisitEnd.MEASURED not in base:
        return "first make what runs now run, and be measured, as it is"
    if result.plan.budget_s is not None and (left or not base):
        visited = f"{count_of(len(left), 'value')} not visited" if left else "not even what runs now was visited"
        return f"sweep again with a longer --budget than {format_duration(result.plan.budget_s)}: {visited}"
    if tried and all(one.standing in _NOT_RUN for one in tried):
        return "keep what runs now, and try values that run: none of these did"
    if any(one.standing is Standing.UNFIT for one in tried):
        limits = " and ".join(constraint_words(one) for one in result.plan.constraints)
        return f"keep what runs now, or sweep again with another constraint than {limits}"
    return "keep what runs now, or sweep other knobs or values: sparktune knobs list"


def _decided(result: SweepResult) -> str:
    """Return what fresh blocks decided of the one that was chosen: harm goes before gain."""
    key = result.record.winner
    if result.won:
        return f"WINNER, confirmed on fresh blocks: {key}"
    if result.harmful:
        return f"NO WINNER: {key} gains at the price of a guard"
    if result.unproven:
        return f"NOT PROVEN: {key} gains, and a guard is not shown to hold"
    return f"NO WINNER: fresh blocks did not confirm {key}"


_IN: Final = frozenset({Standing.MEASURED, Standing.RACING, Standing.CHOSEN})


def _looked(result: SweepResult) -> str:
    known = next((one for one in result.known if one.candidate.key == result.record.winner), None)
    if known is None or known.log_ratio is None:
        return ""
    return f", {change_words(known, _better(result))} in {_metric(result)} over {_visits(known)}"


def _better(result: SweepResult) -> Better:
    return result.experiment.primary.better


def _metric(result: SweepResult) -> str:
    return result.experiment.primary.metric


def _visits(known: Estimate) -> str:
    return count_of(known.visits, "visit")


def _measured(result: SweepResult, visit: SweepVisit) -> str:
    """Return the metric itself: one of which less is better was kept with its sign turned."""
    if visit.log_value is None:
        return "unknown"
    return f"{math.exp(visit.log_value if _better(result) is Better.HIGHER else -visit.log_value):.4g}"


def _budget(result: SweepResult) -> str:
    whole = result.plan.budget_s or 0.0
    return f"{format_duration(result.took_s)} of {format_duration(whole)} used"
