"""temperature: a thermal zone or a GPU is too hot.

Looks at: the hottest of all thermal zones and GPUs.
Stops when: it has been at ``temperature`` (95 degrees Celsius) or above at two ticks in a row.
Unknown when: the node has no zone that tells a temperature.
Source: ours: throttling begins below it, and whatever is measured above it describes the cooling.
"""

__all__ = ["GUARD"]

from sparktune.experiment.guards._shared import trip
from sparktune.model.guard import Guard, GuardView, Limits, Trip

_ID = "temperature"
_TICKS = 2
_HINT = "let it cool, give it air (a Spark draws it in below and at the front), and begin again"


def _judge(view: GuardView, limits: Limits) -> Trip | None:
    most, last = limits.temperature, [tick.hottest for tick in view.ticks[-_TICKS:]]
    if most is None or len(last) < _TICKS or not all(value is not None and value >= most for value in last):
        return None
    return trip(_ID, view, f"the hottest sensor is at {last[-1]:.0f} degrees Celsius (limit {most:.0f})", _HINT)


GUARD = Guard(
    id=_ID,
    title="The machine is not too hot",
    why="A machine that throttles measures its cooling; one that goes on heating switches itself off.",
    source="ours",
    needs=("hottest",),
    limit="temperature",
    judge=_judge,
)
