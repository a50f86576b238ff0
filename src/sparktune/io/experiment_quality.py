"""``quality:`` of an experiment file: which questions are asked after the trials of a visit.

::

    quality: true
    quality: {tools: true, canary: false, every: arm, margin: 0.2, answer_tokens: 2048}
"""

__all__ = ["quality_of"]

import difflib
import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

from sparktune.io.experiment_values import Fault
from sparktune.model.quality import QualityPlan

_KEY: Final = "quality"
_EVERY: Final = ("visit", "arm")
_SWITCHES: Final = ("tools", "canary")
_MOST_TOKENS: Final = 100_000


def quality_of(value: object, fault: Fault) -> QualityPlan | None:
    """Return what the section says; without it, or with false, nothing is asked. Raises UsageError."""
    if value is None or value is False:
        return None
    if value is True:
        return QualityPlan()
    if not isinstance(value, Mapping):
        raise fault((_KEY,), f"true, or settings by name, are wanted here, not {value!r}", "quality: {tools: true}")
    known = [field.name for field in fields(QualityPlan)]
    for key in value:
        if key not in known:
            near = difflib.get_close_matches(str(key), known, n=1)
            listed = f"known here: {', '.join(known)}"
            raise fault((_KEY, key), f"unknown key {key!r}", f"did you mean {near[0]}? {listed}" if near else listed)
    plan = QualityPlan(**{key: _read(key, given, fault) for key, given in value.items()})
    if not plan.tools and not plan.canary:
        raise fault((_KEY,), "neither tools nor canary is asked", "leave quality out, or ask one of them")
    return plan


def _read(key: str, value: object, fault: Fault) -> Any:  # noqa: ANN401 - as the field of QualityPlan has it
    if key in _SWITCHES:
        if not isinstance(value, bool):
            raise fault((_KEY, key), f"true or false is wanted, not {value!r}", f"for instance {key}: true")
        return value
    if key == "every":
        if value not in _EVERY:
            raise fault((_KEY, key), f"visit or arm is wanted, not {value!r}", "arm asks in its first visit alone")
        return str(value)
    if key == "answer_tokens":
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _MOST_TOKENS:
            raise fault((_KEY, key), f"a whole number from 1 on is wanted, not {value!r}", "1024 unless given")
        return value
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        raise fault((_KEY, key), f"a number above 0 is wanted, not {value!r}", f"leave {key} out for the usual")
    if key == "margin" and value >= 1:
        raise fault((_KEY, key), f"a share inside (0, 1) is wanted, not {value!r}", "0.15 is 15 %")
    return float(value)
