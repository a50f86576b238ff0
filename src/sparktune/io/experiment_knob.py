"""What differs between the arms of an experiment file, as people call it."""

__all__ = ["knob_of", "way_of"]

from collections.abc import Mapping
from typing import Any

from sparktune.experiment.arm_settings import arm_settings, called, declared_names, differing
from sparktune.experiment.design import Arm
from sparktune.io.experiment_values import Fault


def knob_of(
    values: Mapping[str, Any], arms: Mapping[Arm, Mapping[str, Any]], knob: str, *, aa: bool, fault: Fault
) -> str:
    """Return the name of the setting that differs. Several at once are refused, unless the knob names them all."""
    if aa:
        return knob or "nothing (A/A)"
    first, second = arms[Arm.A], arms[Arm.B]
    names = tuple(map(called, differing(arm_settings(first), arm_settings(second))))
    if len(names) > 1 and not set(names) <= declared_names(knob):
        message = f"the arms differ in {len(names)} settings, and the effect could be given to none: {', '.join(names)}"
        hint = f"change one at a time; if they belong together, name them all as the knob: {', '.join(names)!r}"
        raise fault(("b",), message, hint)
    return knob or ", ".join(names) or _seen_or_stepped(values, second) or "what is switched"


def way_of(knob: str) -> str:
    """Return what differs between two ways to run the same: everything may, so nothing of it is named."""
    return knob or "how it is run"


def _seen_or_stepped(values: Mapping[str, Any], second: Mapping[str, Any]) -> str:
    """Return how a setting without flags is called: as it is read back, or as its steps say."""
    steps = second.get("steps")
    if isinstance(steps, list | tuple):
        named = [step.get("path") or step.get("name") or step.get("kind") for step in steps if isinstance(step, dict)]
        return ", ".join(dict.fromkeys(str(name) for name in named))
    live = values.get("live")
    if not isinstance(live, Mapping):
        return ""
    readers = [live] if "http" in live else [one for one in live.values() if isinstance(one, Mapping)]
    return ", ".join(dict.fromkeys(str(one["keys"]) for one in readers if "keys" in one))
