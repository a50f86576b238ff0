"""Read times and objectives as people write them: ``500ms``; ``ttft=2s,tpot=50ms``."""

__all__ = ["parse_seconds", "parse_slo"]

import re

from sparktune.errors import UsageError
from sparktune.model.options import Slo
from sparktune.units import Seconds

_VALUE = re.compile(r"(?P<number>\d+(?:\.\d+)?|\.\d+)\s*(?P<unit>ms|s)?")
_SCALE = {"s": 1.0, "ms": 1e-3, None: 1.0}
_FIELDS = {"ttft": "ttft_s", "tpot": "tpot_s", "e2e": "e2e_s"}


def parse_slo(text: str) -> Slo:
    """Return the objective; an empty text is no objective. A number without a unit is in seconds.

    Raises UsageError for an unknown name, a name given twice, or a value that is not a positive time.
    """
    limits: dict[str, float] = {}
    for item in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = (part.strip() for part in item.partition("="))
        field = _FIELDS.get(name)
        match = _VALUE.fullmatch(value)
        if field is None or match is None or field in limits or not float(match["number"]):
            message = f"cannot read {item!r} in the objective {text!r}"
            raise UsageError(message, hint="write it as --slo ttft=2s,tpot=50ms,e2e=30s; each name at most once")
        limits[field] = float(match["number"]) * _SCALE[match["unit"]]
    return Slo(**limits)


def parse_seconds(text: str, *, name: str) -> Seconds:
    """Return a time as people write it: ``2s``, ``500ms``, or ``2``, which is in seconds.

    Raises UsageError, which calls it ``name``, for anything else.
    """
    match = _VALUE.fullmatch(text.strip())
    if match is None:
        message = f"{name} takes a time, not {text[:40]!r}"
        raise UsageError(message, hint="write it like 2s or 500ms")
    return float(match["number"]) * _SCALE[match["unit"]]
