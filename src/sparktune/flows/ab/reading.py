"""What is read of an arm around its trials: how its server ended, what was seen again, what has to be said of it."""

__all__ = ["gone", "merged", "notes_of", "seen_again"]

from collections.abc import Mapping, Sequence

from sparktune.experiment.lasting import UNREAD
from sparktune.flows.ab.tools import AbTools
from sparktune.io.launching.reading import LiveReading

_DYING_LOOKS, _DYING_S = 10, 0.2


async def gone(tools: AbTools) -> str:
    """Return how the started server ended, "" while it runs; one that is just dying is given a moment."""
    for _ in range(_DYING_LOOKS):
        how = tools.hold.ended()
        if how:
            return how
        await tools.sleep(_DYING_S)
    return ""


def seen_again(before: Mapping[str, str], after: LiveReading) -> dict[str, str]:
    """Return what was read again; never the same as before when the arm is not live any more."""
    values = dict(after.values)
    if after.ok or values != before:
        return values or dict.fromkeys(before, UNREAD)
    return {**values, "live": after.why or "no"}


def notes_of(tools: AbTools, reading: LiveReading) -> tuple[str, ...]:
    """Return what has to be said of an arm that was read."""
    return merged(tuple(tools.hold.notes), reading.notes)


def merged(first: Sequence[str], second: Sequence[str]) -> tuple[str, ...]:
    """Return both, each text once."""
    return tuple(dict.fromkeys((*first, *second)))
