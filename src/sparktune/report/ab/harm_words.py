"""Losses in single cells that a mean hides, in words to stand next to the verdict, and for JSON."""

__all__ = ["harm_lines", "harm_places", "harm_records", "standing_caveat"]

from collections.abc import Sequence

from sparktune.experiment.result import CellHarm, ExperimentResult
from sparktune.experiment.verdict import Verdict
from sparktune.model.engine import JsonValue
from sparktune.report.ab.words import change_words, guard_caveats, interval_words
from sparktune.report.bench.words import one_line
from sparktune.report.records import plain_record
from sparktune.units import count_of, format_percent

_SHOWN = 4
_VOID = frozenset({Verdict.INVALID, Verdict.STOPPED})


def _harm_words(harm: CellHarm) -> str:
    """Say what got worse where, by how much, and why the verdict does not say so."""
    change, interval = change_words(harm.effect, harm.better), interval_words(harm.effect, harm.better)
    where = f"hidden in the mean over {harm.cells} cells" if harm.weighs else "its weight in the mean is 0"
    confidence = f"{format_percent(harm.effect.confidence)} interval, widened as {harm.asked} were looked at"
    more = f"more than {format_percent(harm.margin)} worse, and {where} ({confidence})"
    return f"in {one_line(harm.cell)} {harm.metric} is {change} {interval}: {more}"


def harm_lines(harms: Sequence[CellHarm]) -> tuple[str, ...]:
    """Return a warning for each of the worst, and how many there are besides; nothing when nothing is hidden."""
    told = [f"WARNING: {_harm_words(harm)}" for harm in harms[:_SHOWN]]
    if rest := harms[_SHOWN:]:
        told.append(f"WARNING: and in {count_of(len(rest), 'more place')}: sparktune ab show --json has all of them")
    return tuple(told)


def harm_places(harms: Sequence[CellHarm]) -> str:
    """Say in a few words what got worse where, for lists and for pictures that are shared alone; "" for none."""
    shown = [
        f"{harm.metric} is WORSE in {one_line(harm.cell)} ({change_words(harm.effect, harm.better)})"
        for harm in harms[:_SHOWN]
    ]
    rest = [f"and in {len(harms) - _SHOWN} more"] if harms[_SHOWN:] else []
    return ", ".join((*shown, *rest))


def harm_records(harms: Sequence[CellHarm]) -> list[JsonValue]:
    """Return all of them for JSON; ``ratio`` above 1 means better, as everywhere."""
    return [{**plain_record(harm), "words": _harm_words(harm)} for harm in harms]


def standing_caveat(result: ExperimentResult) -> str:
    """Return what has to be read behind a verdict in a list, "" where it stands alone: guards, then single cells."""
    if result.verdict is None or result.verdict in _VOID:
        return ""
    return " and ".join(filter(None, (*guard_caveats(result), harm_places(result.harms))))
