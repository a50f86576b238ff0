"""endpoint-lost: the server answers no more.

Looks at: for how long the endpoint has not answered a plain question.
Stops when: that is ``unanswered_s`` (30 seconds) or longer; not while an engine starts.
Unknown when: nobody asks it.
Source: ours: an engine that hangs in its driver keeps its port open, and its memory.
"""

__all__ = ["GUARD"]

from sparktune.experiment.guards._shared import trip
from sparktune.model.guard import Guard, GuardView, Limits, Phase, Trip

_ID = "endpoint-lost"
_HINT = (
    "look at the engine's log and at its processes; one that hangs in the driver is ended by a restart of the host only"
)


def _judge(view: GuardView, limits: Limits) -> Trip | None:
    silent, most = view.load[-1].unanswered_s, limits.unanswered_s
    if silent is None or most is None or silent < most or view.phase is Phase.STARTING:
        return None
    return trip(_ID, view, f"the endpoint has not answered for {silent:.0f} s (limit {most:.0f} s)", _HINT)


GUARD = Guard(
    id=_ID,
    title="The endpoint answers",
    why="Whatever is still in flight ends in a timeout, hours later in an experiment over night.",
    source="ours",
    needs=("unanswered_s",),
    limit="unanswered_s",
    judge=_judge,
)
