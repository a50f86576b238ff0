"""Who is confirmed when screening and race are over, or that nobody is."""

__all__ = ["choose"]

from sparktune.experiment.search.race import Contender, contenders
from sparktune.experiment.search.record import Record, key_of
from sparktune.model.sweep import BASELINE, ConfirmTask, DoneTask, Stage
from sparktune.units import Ratio


def choose(record: Record) -> ConfirmTask | DoneTask:
    """Return the best of the race - of the screening, where there was none - if it may be better by the margin.

    What is known of it here is what made it be chosen: it is flattered by luck, and nothing to report as its gain.
    """
    ran = _runners(record)
    if not ran:
        return DoneTask(why=_why_nobody(record))
    best = ran[0]
    if best.mean <= 0 or not best.hopeful:
        return DoneTask(why=f"nothing looked better than the baseline by {_percent(record.plan.margin)} or more")
    stage = "race" if _has_race(record) else f"screening (no race: {_why_no_race(record)})"
    which = f"the best of {len(ran)}" if len(ran) > 1 else "the only one left"
    return ConfirmTask(candidate=best.candidate, why=f"{which} after {stage}; fresh blocks say whether it is better")


def _has_race(record: Record) -> bool:
    """Tell whether the race measured any configuration."""
    return any(
        visit.stage is Stage.RACE for key in record.measured if key != BASELINE for visit in record.measured[key]
    )


def _runners(record: Record) -> list[Contender]:
    _, able = contenders(record)
    raced = _has_race(record)
    return [
        one
        for one in able
        if any(not raced or visit.stage is Stage.RACE for visit in record.measured.get(key_of(one.cell), ()))
    ]


def _why_no_race(record: Record) -> str:
    if not record.plan.race_blocks:
        return "none was asked for"
    if any(visit.stage is Stage.RACE and visit.key != BASELINE for visit in record.settled):
        return "nothing could be measured in it"
    return "the budget was used up"


def _why_nobody(record: Record) -> str:
    singles = [one.key for one in record.plan.screened]
    if not singles:
        return "no candidate was left to try"
    measured = [key for key in singles if key in record.measured]
    if measured:
        return f"none of {len(measured)} measured candidates is within the constraints"
    visited = {visit.key for visit in record.visits}
    if not visited.issuperset(singles) and not record.affords(2):  # one of them, and the baseline after it
        return f"the budget was used up before any of {len(singles)} candidates was measured"
    return f"none of {len(singles)} candidates could be measured"


def _percent(share: Ratio) -> str:
    return f"{100 * share:g} %"
