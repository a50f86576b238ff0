"""What was measured besides and decides nothing, in so few lines that the verdict stays in sight."""

__all__ = ["observed_lines"]

import math
from collections.abc import Iterator, Sequence

from sparktune.experiment.result import ExperimentResult, MetricEffect
from sparktune.report.ab.words import change_words, interval_words
from sparktune.units import count_of

_SHOWN = 6
_TITLE = "also observed (decides nothing):"


def observed_lines(result: ExperimentResult, *, whole: bool = False) -> Iterator[str]:
    """Yield the metrics that have an effect: all when they are few or ``whole``, else those that are furthest from 0 %.

    Whoever picks the striking ones of many is struck by luck now and then: that is said beside what was left out.
    """
    found = [one for one in result.observed if one.effect is not None]
    if whole or len(found) <= _SHOWN:
        yield from (_TITLE, *map(_line, found)) if found else ()
        return
    shown = [one for one in sorted(found, key=_distance, reverse=True) if _distance(one) > 0][:_SHOWN]
    command = f"sparktune ab show {result.experiment.id} --all"
    if not shown:
        yield f"{_TITLE} {count_of(len(found), 'metric')}, none shown to change: {command}"
        return
    yield _TITLE
    yield from map(_line, shown)
    yield f"  and {len(found) - len(shown)} more{_left(found, shown)}: {command}"


def _line(one: MetricEffect) -> str:
    if one.effect is None:
        return f"  {one.metric}"
    return f"  {one.metric}: {change_words(one.effect, one.better)} {interval_words(one.effect, one.better)}"


def _distance(one: MetricEffect) -> float:
    """Return how far the interval is from no change, as a log; 0 where no change is in it."""
    if one.effect is None:
        return 0.0
    if one.effect.low > 1:
        return math.log(one.effect.low)
    return -math.log(one.effect.high) if 0 < one.effect.high < 1 else 0.0


def _left(found: Sequence[MetricEffect], shown: Sequence[MetricEffect]) -> str:
    """Say of those that are left out how many are shown to change, and what picking from so many is worth."""
    changed = sum(_distance(one) > 0 for one in found) - len(shown)
    return f", {changed or 'none'} shown to change (of {len(found)}, one may stand out by chance)"
