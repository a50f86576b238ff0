"""Judge what is seen of a node or of a load by all guards, and tell which of them cannot watch it."""

__all__ = ["HISTORY_S", "LOAD_NODE", "first_trip", "is_of_load", "kept", "load_view", "off_guards", "unseen"]

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import fields
from itertools import chain
from operator import attrgetter
from typing import Final, TypeVar

from sparktune.model.guard import Guard, GuardView, HostTick, Limits, LoadTick, Phase, Trip
from sparktune.units import NS_PER_S, Ratio, Seconds

HISTORY_S: Final[Seconds] = 120.0
"""For how long ticks are kept."""
LOAD_NODE: Final = ""
"""The node of guards that look at the load alone."""

_OF_LOAD: Final = frozenset(field.name for field in fields(LoadTick)) - {"monotonic_ns"}
_Tick = TypeVar("_Tick", HostTick, LoadTick)


def is_of_load(guard: Guard) -> bool:
    """Tell whether a guard looks at the load, and at no node."""
    return bool(guard.needs) and _OF_LOAD.issuperset(guard.needs)


def first_trip(guards: Iterable[Guard], view: GuardView, limits: Limits) -> Trip | None:
    """Return what the first guard says whose limit is crossed."""
    return next((trip for guard in guards if (trip := guard.judge(view, limits)) is not None), None)


def kept(ticks: Sequence[_Tick], new: _Tick) -> tuple[_Tick, ...]:
    """Return the ticks with a new one, without those that are too old; only the new one when time went backwards."""
    if ticks and new.monotonic_ns <= ticks[-1].monotonic_ns:
        return (new,)  # the machine was started anew
    first = bisect_left(ticks, new.monotonic_ns - round(HISTORY_S * NS_PER_S), key=attrgetter("monotonic_ns"))
    return tuple(chain(ticks[first:], (new,)))


def load_view(load: tuple[LoadTick, ...], phase: Phase, baseline: Ratio | None) -> GuardView:
    """Return the view of guards that look at the load alone."""
    nowhere = HostTick(node=LOAD_NODE, monotonic_ns=load[0].monotonic_ns, wall_ns=0)
    return GuardView(node=LOAD_NODE, phase=phase, first=nowhere, ticks=(), load=load, baseline_failed_share=baseline)


def off_guards(guards: Iterable[Guard], limits: Limits) -> tuple[str, ...]:
    """Return the ids of guards that are switched off."""
    return tuple(guard.id for guard in guards if guard.limit and not getattr(limits, guard.limit))


def unseen(guard: Guard, tick: HostTick | LoadTick) -> tuple[str, ...]:
    """Return which fields that a guard needs a tick does not tell, without the names of their parts."""
    return tuple(name.partition(".")[0] for name in guard.needs if not _is_told(tick, name))


def _is_told(tick: HostTick | LoadTick, name: str) -> bool:
    field, _, part = name.partition(".")
    value = getattr(tick, field)
    if value is None or (field == "gpus" and not value):
        return False
    return not part or not value or any(getattr(one, part) is not None for one in value)
