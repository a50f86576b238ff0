"""The words of a host report, and how many alike things become one line."""

__all__ = [
    "PENDING_WORDS",
    "gathered_targets",
    "grouped_by_thing",
    "tally",
    "thing_of",
    "transition",
]

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from sparktune.host.cpulist import format_cpulist
from sparktune.model.host_plan import TakesEffect
from sparktune.report.bench.words import listed

_T = TypeVar("_T")
_VECTOR = re.compile(r"(?P<device>.+)#(?P<index>\d+)", re.ASCII)
_MOST_NAMED = 4
PENDING_WORDS = {
    TakesEffect.LIVE: "live",
    TakesEffect.RESTART: "restart",
    TakesEffect.REBOOT: "next boot",
}


def thing_of(item: str) -> str:
    """Return what an item belongs to: the device of ``PCI-ADDRESS#K``, else itself."""
    found = _VECTOR.fullmatch(item)
    return found["device"] if found else item


def grouped_by_thing(items: Mapping[str, _T]) -> dict[str, list[_T]]:
    """Put the vectors of a device together; everything else stands alone."""
    groups: dict[str, list[_T]] = {}
    for item, value in items.items():
        groups.setdefault(thing_of(item), []).append(value)
    return groups


def gathered_targets(targets: Sequence[str]) -> str:
    """Name many targets in short: ``0000:01:00.0#0-20``; of many others the first few.

    Names with a comma in them are set apart by semicolons.
    """
    vectors: dict[str, set[int]] = {}
    names: list[str] = []
    for target in dict.fromkeys(targets):
        found = _VECTOR.fullmatch(target)
        if found is None:
            names.append(target)
            continue
        vectors.setdefault(found["device"], set()).add(int(found["index"]))
    named = [f"{device}#{format_cpulist(frozenset(indexes))}" for device, indexes in vectors.items()]
    every = [*names, *named]
    if not any(", " in name for name in every):
        return listed(every)
    more = f"; and {len(every) - _MOST_NAMED} more" if len(every) > _MOST_NAMED else ""
    return "; ".join(every[:_MOST_NAMED]) + more


def transition(befores: Iterable[str], after: str) -> str:
    """Render ``0-19 -> 0-4,10-14``; several different priors are listed, and all of them are kept for the way back."""
    distinct = list(dict.fromkeys(befores))
    if distinct in ([], [""]):
        return after
    return f"{listed([before or '-' for before in distinct])} -> {after or '-'}"


def tally(words: Iterable[str]) -> str:
    """Render ``20 moved, 1 managed``, the most frequent first."""
    return ", ".join(f"{number} {word}" for word, number in Counter(words).most_common())
