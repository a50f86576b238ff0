"""Which failure came first in time, over all logs: the one to look at, not the loudest.

What only follows from a failure elsewhere never stands for a first cause, however early it is: clocks differ, and a
rank that notices may log sooner than the one that fails. An error whose meaning is not known counts where no known one
is near it in time: it may be the cause of what the other logs tell. What an engine survived is no failure of it; what
is more than an hour before the last known failure, with nothing between, is of another time.
"""

__all__ = ["earlier_starts", "failures", "first_error", "long_before"]

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from sparktune.logs.served import served_after
from sparktune.model.log import FirstError, LogEvent, LogRole, LogView, ReadLog
from sparktune.units import Seconds, format_duration

_NEAR_S: Final[Seconds] = 30.0  # an unknown error so shortly before a known one does not go before it
_APART_S: Final[Seconds] = 3600.0  # longer than any rank waits for another one by default
_CLOSE_S: Final[Seconds] = 1.0  # clocks agree no better over a network that was not measured


@dataclass(frozen=True, slots=True, kw_only=True)
class _Failure:
    """``time_s`` is by the clock of the first node, None where that is not known; ``place`` counts logs as given."""

    log: ReadLog
    event: LogEvent
    place: int
    time_s: Seconds | None

    @property
    def role(self) -> LogRole | None:
        return self.event.signature.role if self.event.signature is not None else None


def failures(view: LogView) -> tuple[tuple[ReadLog, LogEvent], ...]:
    """Return every failure of the last start of each log, in time; those without a time follow, as they were given."""
    return tuple((one.log, one.event) for one in _in_time(_of_last_time(view, _failures(view))))


def long_before(view: LogView) -> tuple[str, ...]:
    """Say which failures are of an earlier time, and are not taken as a cause."""
    found = _failures(view)
    last = _of_last_time(view, found)
    begin_s = min((one.time_s for one in last if one.time_s is not None), default=0.0)
    return tuple(
        f"{one.log.file} line {one.event.first.number} is {format_duration(begin_s - (one.time_s or 0.0))} earlier, "
        f"and not taken as the cause unless the clocks or zones of the files differ by that: {_called(one.event)}"
        for one in _in_time([one for one in found if one not in last])
        if one.role is not LogRole.SECONDARY
    )


def first_error(view: LogView) -> FirstError | None:
    """Return what failed first, None where nothing did."""
    found = _of_last_time(view, _failures(view))
    roots = [one for one in found if one.role is LogRole.ROOT]
    unknown = [one for one in found if one.role is None]
    if roots:
        first, why = _earliest(view, roots)
        before = _unknown_before(view, first, unknown)
        if before is not None:
            reason = f"its meaning is not known, but nothing known failed within {format_duration(_NEAR_S)} of it"
            return FirstError(log=before.log, event=before.event, sure=False, why=reason)
        return FirstError(log=first.log, event=first.event, sure=not why, why=why)
    if unknown:
        first, why = _earliest(view, unknown)
        reasons = "; ".join(filter(None, ("no error here is known, and this is the first one", why)))
        return FirstError(log=first.log, event=first.event, sure=False, why=reasons)
    if not found:
        return None
    first, _ = _earliest(view, found)
    return FirstError(log=first.log, event=first.event, sure=False, why=_elsewhere(view, found))


def earlier_starts(view: LogView) -> tuple[str, ...]:
    """Say what the starts before the last one of each log failed with, as a trend."""
    return tuple(text for log in view.logs for text in _trend(log))


def _failures(view: LogView) -> list[_Failure]:
    return [
        _Failure(log=log, event=event, place=place, time_s=_time(view, log, event))
        for place, log in enumerate(view.logs)
        for event in log.events
        if event.start == log.starts and _fails(event) and served_after(log, event) is None
    ]


def _of_last_time(view: LogView, found: list[_Failure]) -> list[_Failure]:
    """Leave out what is long before the last known failures, where the clocks can be compared."""
    if any(one.log.node not in view.ahead_s for one in found):
        return found
    timed = [one for one in _in_time(found) if one.time_s is not None]
    end_s: Seconds | None = None
    begin = 0
    for at, one in enumerate(timed):
        apart = end_s is not None and one.time_s is not None and one.time_s - end_s > _APART_S
        if apart and any(later.role is LogRole.ROOT for later in timed[at:]):
            begin = at
        lasted = (one.event.last.time_s or 0.0) - (one.event.first.time_s or 0.0)
        end_s = max(end_s or 0.0, (one.time_s or 0.0) + max(0.0, lasted))
    early = timed[:begin]
    return [one for one in found if one not in early]


def _fails(event: LogEvent) -> bool:
    return event.signature is None or event.signature.role in {LogRole.ROOT, LogRole.SECONDARY}


def _time(view: LogView, log: ReadLog, event: LogEvent) -> Seconds | None:
    if event.first.time_s is None:
        return None
    return event.first.time_s - view.ahead_s.get(log.node, 0.0)


def _in_time(found: Sequence[_Failure]) -> list[_Failure]:
    return sorted(found, key=lambda one: (one.time_s is None, one.time_s or 0.0, one.place, one.event.first.number))


def _earliest(view: LogView, found: Sequence[_Failure]) -> tuple[_Failure, str]:
    """Return the earliest, and what its being so lacks, "" for nothing."""
    of_logs = [
        min((one for one in found if one.place == place), key=lambda one: one.event.first.number)
        for place in dict.fromkeys(one.place for one in found)
    ]
    first = _in_time(of_logs)[0]
    if len(of_logs) == 1:
        return first, ""
    untimed = [one for one in of_logs if one.time_s is None]
    if untimed:
        names = ", ".join(one.log.file for one in untimed)
        return first, f"lines without a time cannot be put in order: {names}"
    nodes = list(dict.fromkeys(one.log.node for one in of_logs))
    unknown = [node for node in nodes if node not in view.ahead_s]
    if len(nodes) > 1 and unknown:
        told = " and ".join(node or "a node without a name" for node in nodes)
        return first, f"the clocks of {told} could not be compared: --ahead {unknown[0] or 'NODE'}=SECONDS tells it"
    second = _in_time(of_logs)[1]
    gap = (second.time_s or 0.0) - (first.time_s or 0.0)
    if len(nodes) > 1 and gap < _CLOSE_S:
        return first, f"{second.log.file} line {second.event.first.number} is less than a second later"
    return first, ""


def _unknown_before(view: LogView, root: _Failure, unknown: Sequence[_Failure]) -> _Failure | None:
    """Return an unknown error of another log that is earlier than a known one, and not near it.

    In the log of the known one its process went on after it.
    """
    if root.time_s is None:
        return None
    early = [
        one
        for one in unknown
        if one.time_s is not None
        and one.place != root.place
        and {one.log.node, root.log.node} <= set(view.ahead_s)
        and one.time_s < root.time_s - _NEAR_S
    ]
    return _in_time(early)[0] if early else None


def _elsewhere(view: LogView, found: Sequence[_Failure]) -> str:
    """Say where the root is, when all that is here follows from it."""
    texts = [f"{line.process} {line.text}" for one in found for line in (one.event.first, one.event.last)]
    names = {name for log in view.logs for name in (log.node, log.file)}
    head = any("rank0" in text or "TP0" in text or "rank 0" in text for text in (*texts, *names))
    whose = "that of another rank, or the part of this one before its first line" if head else "rank 0's"
    return f"this only follows from another failure; the root is in a log that was not given: {whose}"


def _trend(log: ReadLog) -> Iterator[str]:
    if log.starts < 2:  # noqa: PLR2004 - one start has none before it
        return
    failed: list[str] = []
    for start in range(1, log.starts):
        events = [event for event in log.events if event.start == start and _fails(event)]
        roots = [event for event in events if event.signature is None or event.signature.role is LogRole.ROOT]
        event = next(iter(roots or events), None)
        if event is not None:
            failed.append(_called(event))
    if failed:
        kinds = "; ".join(f"{_times(failed.count(title))}{title}" for title in dict.fromkeys(failed))
        same = " - each alike" if len(failed) > 1 and all(a == b for a, b in pairwise(failed)) else ""
        yield f"{log.file}: {len(failed)} of {log.starts - 1} earlier starts failed ({kinds}){same}"


def _called(event: LogEvent) -> str:
    return event.signature.title if event.signature is not None else "an error that is not known"


def _times(count: int) -> str:
    return f"{count} times: " if count > 1 else ""
