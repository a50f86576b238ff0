"""What to do after the verdict of an experiment: before its arm is kept, to keep it, or to find out more."""

__all__ = ["keep_steps", "next_steps", "weigh_step"]

from collections.abc import Sequence

from sparktune.experiment.quality_guard import ANSWERS
from sparktune.experiment.result import CellHarm, ExperimentResult, GuardStatus
from sparktune.experiment.verdict import Verdict
from sparktune.model.check import Status
from sparktune.report.ab.words import ACTED_ON, unproven_guards
from sparktune.report.bench.words import one_line


def next_steps(result: ExperimentResult) -> tuple[str, ...]:
    """Return what comes next, commands for the most part; a win is kept where every guard is shown to hold."""
    run = result.experiment.id
    if result.verdict in {Verdict.INVALID, Verdict.STOPPED}:
        hints = [visit.record.trip.hint for visit in result.visits if visit.record.trip is not None]
        hints += [check.hint for check in result.checks if check.status is Status.INVALID and check.hint]
        return (*dict.fromkeys(hints), f"sparktune ab show {run}")
    if result.verdict is None:
        again = f"measure it with --max-blocks {result.experiment.rules.looks[0].blocks} or more: fewer prove nothing"
        return (f"sparktune ab resume {run}" if len(result.blocks) < len(result.experiment.blocks) else again,)
    if result.verdict is Verdict.DIFFERENT:
        apart = "find what differs: compare both with sparktune ab, one setting at a time"
        return (apart, f"sparktune runs report {run}")
    won = result.verdict is Verdict.IMPROVED and not unproven_guards(result)
    keep = (f"sparktune earned accept {run}",) if won else ()
    return (*keep_steps(result, "arm B"), *keep, f"sparktune runs report {run}")


def keep_steps(result: ExperimentResult, arm: str) -> tuple[str, ...]:
    """Return what to do, before ``arm`` is kept, about guards that do not hold and about cells that got worse."""
    if result.verdict not in ACTED_ON:
        return ()
    harmed = [guard.metric for guard in result.guards if guard.status is GuardStatus.HARMED]
    open_ones = [guard.metric for guard in result.guards if guard.status is GuardStatus.UNPROVEN]
    unproven = [name for name in open_ones if name not in ANSWERS]
    answers = [name for name in open_ones if name in ANSWERS]
    keep = f"do not keep {arm} for this alone: {', '.join(harmed)} got worse; try another value of the setting"
    show = f"measure {', '.join(unproven)} again with more trials per visit, or another margin, before you keep {arm}"
    look = (
        f"read what was answered before you keep {arm}, {', '.join(answers)} is not shown to hold: "
        f"sparktune ab show {result.experiment.id} --json"
    )
    told = ((harmed, keep), (unproven, show), (answers, look))
    return (*(words for why, words in told if why), *weigh_step(arm, result.harms))


def weigh_step(arm: str, harms: Sequence[CellHarm]) -> tuple[str, ...]:
    """Return what to do before ``arm`` is kept, where single cells got worse and the verdict does not say so."""
    cells, metrics = (
        ", ".join(dict.fromkeys(names))
        for names in ([one_line(one.cell) for one in harms], [one.metric for one in harms])
    )
    return (f"before you keep {arm}, decide what {cells} is worth to you: {metrics} got worse there",) if harms else ()
