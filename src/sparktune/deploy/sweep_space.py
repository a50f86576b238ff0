"""The space of a sweep: knobs of the catalogue with the values to try, and the configurations they make."""

__all__ = [
    "candidate_of",
    "candidates_of",
    "in_order",
    "must_be_legal",
    "range_of",
    "ranges_of",
]

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from sparktune.deploy.knob_names import knob_named, nearest
from sparktune.deploy.knobs import all_knobs
from sparktune.deploy.sweep_values import divided, magnitude, range_values, same_value
from sparktune.errors import UsageError
from sparktune.model.knob import Knob
from sparktune.model.sweep import Candidate, KnobRange, Pruned

_WRITTEN: Final = ("flag:", "env:")
_SETTABLE: Final = frozenset({"flag", "env", "compose", "recipe"})
_FORM: Final = "for instance --knob max_num_seqs=4,8,16 or --knob num_speculative_tokens=2..5"


def range_of(text: str, *, allow_reboot: bool = False) -> KnobRange:
    """Return the knob and its values that ``NAME=VALUES`` names; the baseline is not known here.

    NAME is a knob of the catalogue, by its id or any spelling of it; what the catalogue does not know is written
    ``flag:--x=1,2`` or ``env:X=1,2``. Raises UsageError for an unknown name, for a value that is not legal, and for
    what no start of an engine sets.
    """
    name, sign, values = text.strip().partition("=")
    name = name.strip()
    if not sign or not name or not values.strip():
        message = f"--knob {text!r} is not NAME=VALUES"
        raise UsageError(message, hint=_FORM)
    bare = next((name.removeprefix(prefix) for prefix in _WRITTEN if name.startswith(prefix)), name)
    knob = knob_named(all_knobs(), bare)
    if knob is None:
        if bare == name:
            raise _unknown(name)
        return KnobRange(knob=_plainly(name), values=range_values(values, name))
    _must_be_settable(knob, allow_reboot=allow_reboot)
    return KnobRange(knob=knob.id, values=_values_checked(knob, values), raises_memory=knob.raises_memory)


def ranges_of(texts: Iterable[str], *, allow_reboot: bool = False) -> tuple[KnobRange, ...]:
    """Return the ranges of several texts, in their order. Raises UsageError, also when two name one knob."""
    found: list[KnobRange] = []
    for text in texts:
        one = range_of(text, allow_reboot=allow_reboot)
        if any(one.knob == other.knob for other in found):
            message = f"--knob names {one.knob} twice"
            raise UsageError(message, hint=f"give all of its values at once: --knob {one.knob}=4,8,16")
        found.append(one)
    return tuple(found)


def _values_checked(knob: Knob, text: str) -> tuple[str, ...]:
    """Return the values of a text, each of them legal for this knob. Raises UsageError."""
    alone = knob.several and len(divided(text, ";")) == 1
    values = (text.strip(),) if alone else range_values(text, knob.id)
    for value in values:
        must_be_legal(knob, value, f"--knob {knob.id}")
    return values


def must_be_legal(knob: Knob, value: str, where: str) -> None:
    """Raise UsageError for a value that a knob cannot have, in words that begin with ``where``."""
    why = _illegal(knob, value)
    if why:
        message = f"{where}: {value!r} {why}"
        raise UsageError(message, hint=f"legal is: {knob.legal}")


def candidate_of(values: Mapping[str, str]) -> Candidate:
    """Return the configuration that differs from the baseline in these values; its key names them in order."""
    named = dict(sorted(values.items()))
    return Candidate(key=" ".join(f"{knob}={value}" for knob, value in named.items()), values=named)


def candidates_of(ranges: Sequence[KnobRange]) -> tuple[Candidate, ...]:
    """Return the configurations in which one knob is moved, in the order of ranges and values.

    A value that is the baseline's own is none of them. ``after`` leads upwards where a knob raises memory.
    """
    moved = [
        candidate_of({one.knob: value})
        for one in ranges
        for value in one.values
        if not (one.baseline and same_value(value, one.baseline))
    ]
    return in_order(moved, ranges)


def in_order(
    candidates: Sequence[Candidate], ranges: Sequence[KnobRange], pruned: Sequence[Pruned] = ()
) -> tuple[Candidate, ...]:
    """Return the candidates with ``after`` set: the nearest one that wants less memory and has to have run before.

    That is a candidate which is above the baseline, too, wants no more of anything that raises memory, and is the
    same in all else. A pruned one is skipped: what never runs cannot go first.
    """
    out = {one.key for one in pruned}
    left = [one for one in candidates if one.key not in out]
    known = {one.knob: one for one in ranges}
    ordered = []
    for one in left:
        below = [other for other in left if _wants_less(other, one, known)]
        nearest_below = max(below, key=partial(_steps_below, below, known), default=None)
        ordered.append(replace(one, after=nearest_below.key if nearest_below is not None else ""))
    return tuple(ordered)


def _unknown(name: str) -> UsageError:
    near = nearest(all_knobs(), name)
    asked = f"did you mean {', '.join(near)}? " if near else "all: sparktune knobs list; "
    message = f"--knob: the catalogue has no knob {name!r}"
    return UsageError(message, hint=f"{asked}a setting that it does not know is written flag:--x=1,2 or env:X=1,2")


def _must_be_settable(knob: Knob, *, allow_reboot: bool) -> None:
    if not any(place.kind in _SETTABLE for place in knob.places):
        message = f"--knob {knob.id} is no setting that an engine is started with"
        raise UsageError(message, hint=f"where it is set: sparktune knobs show {knob.id}; two values compare with ab")
    if knob.takes == "reboot" and not allow_reboot:
        message = f"--knob {knob.id} counts only after a reboot of the machine"
        raise UsageError(message, hint="a sweep would reboot it for every value; compare two values with ab")


def _plainly(name: str) -> str:
    kind, _, bare = name.partition(":")
    if kind == "flag" and not bare.startswith("-"):
        message = f"--knob {name}: a flag is written with its dashes"
        raise UsageError(message, hint=f"flag:--{bare.replace('_', '-') or 'x'}=1,2")
    if not bare.strip("-"):
        message = f"--knob {name}: there is no name"
        raise UsageError(message, hint="flag:--x=1,2 or env:X=1,2")
    return name


def _illegal(knob: Knob, value: str) -> str:
    if knob.choices:
        return "" if value in knob.choices else f"is none of {', '.join(knob.choices)}"
    if knob.least is None and knob.most is None:
        return ""
    number = magnitude(value)
    if number is None:
        return "" if value in knob.words else "is no number"
    if knob.least is not None and (number < knob.least or (value.startswith("-") and knob.least >= 0)):
        return f"is below {knob.least:g}"
    if knob.most is not None and number > knob.most:
        return f"is above {knob.most:g}"
    return "is no whole number" if knob.whole and not number.is_integer() and number != math.inf else ""


def _wants_less(low: Candidate, high: Candidate, ranges: Mapping[str, KnobRange]) -> bool:
    """Tell whether ``low`` is a step on the way up to ``high``: more than the baseline, and no more than that one."""
    above = lower = False
    for knob in {*low.values, *high.values}:
        one = ranges.get(knob)
        mine, other = (_value_of(candidate, knob, one) for candidate in (low, high))
        if one is None or not one.raises_memory:
            if mine != other:
                return False
            continue
        mine_size, other_size, base = (_size(text) for text in (mine, other, one.baseline))
        if mine_size > other_size:
            return False
        lower = lower or mine_size < other_size
        above = above or mine_size > base
    return above and lower


def _steps_below(candidates: Sequence[Candidate], ranges: Mapping[str, KnobRange], one: Candidate) -> int:
    return sum(_wants_less(other, one, ranges) for other in candidates)


def _value_of(candidate: Candidate, knob: str, one: KnobRange | None) -> str:
    return candidate.values.get(knob, one.baseline if one is not None else "")


def _size(text: str) -> float:
    """Return how much memory a value wants beside others; what is no number has no place among them."""
    found = magnitude(text) if text else None
    return -math.inf if found is None else found
