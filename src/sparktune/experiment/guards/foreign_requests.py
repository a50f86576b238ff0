"""foreign-requests: the server works on requests that we did not send.

Looks at: how many requests the server says that it runs, beside those that are in flight from here.
Stops when: it ran more than were in flight four times in a row that it told, over a second or more.
Unknown when: the server does not count them.
Source: ours: somebody else's request takes its share of every step, and is seen in no number of our own.
"""

__all__ = ["GUARD"]

from sparktune.experiment.guards._shared import trip
from sparktune.model.guard import Guard, GuardView, Limits, Trip
from sparktune.units import seconds_between

_ID = "foreign-requests"
_TICKS = 4
_SPAN_S = 1.0
_HINT = "find who else uses this endpoint (its access log says it), or measure when nobody does"


def _judge(view: GuardView, limits: Limits) -> Trip | None:
    last = [tick for tick in view.load if tick.server_running is not None][-_TICKS:]
    if not limits.foreign_requests or len(last) < _TICKS:
        return None
    if seconds_between(last[0].monotonic_ns, last[-1].monotonic_ns) < _SPAN_S:
        return None  # what has just ended here may still be counted there
    if not all(one.server_running is not None and one.server_running > one.in_flight for one in last):
        return None
    now = last[-1]
    evidence = f"the server runs {now.server_running} requests, {now.in_flight} of them ours, {_TICKS} times in a row"
    return trip(_ID, view, evidence, _HINT)


GUARD = Guard(
    id=_ID,
    title="Nobody else asks the server",
    why="Somebody else's request takes its share of every step of the engine.",
    source="ours",
    needs=("server_running",),
    limit="foreign_requests",
    judge=_judge,
)
