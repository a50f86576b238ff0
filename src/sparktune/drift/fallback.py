"""What a malformed value of a variable counts as: some are passed over with one line in a log, or with none. Pure."""

__all__ = ["effective"]

from collections.abc import Mapping
from functools import cache

from sparktune.deploy.knobs import all_knobs
from sparktune.model.knob import Knob
from sparktune.model.setting import Value


def effective(key: str, value: Value) -> tuple[Value, str]:
    """Return what a value counts as, and in words why it is not itself: "" where it is.

    Only for variables (``env.NAME``) of which the catalogue knows what happens then.
    """
    knob = _by_variable().get(key)
    if knob is None or not isinstance(value, str) or value in knob.choices:
        return value, ""
    legal = " or ".join(filter(None, (", ".join(knob.choices[:-1]), knob.choices[-1])))
    bare = value.strip()
    if bare.isascii() and bare.isdecimal() and knob.most is not None and int(bare) > knob.most:
        most = f"{knob.most:g}"
        return most, f"{value!r} is more than {most}, and counts as that"
    if bare in knob.choices:  # blanks around a number are passed over
        return bare, ""
    return knob.fallback, f"{value!r} is none of {legal}, and falls back to {knob.fallback}"


@cache
def _by_variable() -> Mapping[str, Knob]:
    return {
        f"env.{place.name}": knob
        for knob in all_knobs()
        if knob.fallback and knob.choices
        for place in knob.places
        if place.kind == "env"
    }
