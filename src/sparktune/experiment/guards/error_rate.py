"""error-rate: requests fail.

Looks at: failed requests and all of them, since the arm began.
Stops when: more than ``error_share`` (1 %) failed, or one did where none of the other arm's had.
Unknown when: nobody tells of the load, or no request has ended.
Source: ours: numbers of the requests that came through describe another load than the one that was asked for.
"""

__all__ = ["GUARD"]

from sparktune.experiment.guards._shared import trip
from sparktune.model.guard import Guard, GuardView, Limits, Trip
from sparktune.units import format_percent

_ID = "error-rate"
_HINT = "look at the failures and at the engine's log before anything is measured again"


def _judge(view: GuardView, limits: Limits) -> Trip | None:
    load, most = view.load[-1], limits.error_share
    if most is None or not load.requests or not load.failed:
        return None
    share, told = load.failed / load.requests, f"{load.failed} of {load.requests} requests failed"
    how = f": {load.failed_how}" if load.failed_how else ""
    if view.baseline_failed_share == 0:
        return trip(_ID, view, f"{told}; none of the other arm's did{how}", _HINT)
    if share > most:
        return trip(_ID, view, f"{told}, {format_percent(share)} (limit {format_percent(most)}){how}", _HINT)
    return None


GUARD = Guard(
    id=_ID,
    title="Requests do not fail",
    why="A server that fails under load often runs out of something, and the rest of the run is void anyway.",
    source="ours",
    needs=("requests", "failed"),
    limit="error_share",
    judge=_judge,
)
