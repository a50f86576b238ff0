"""What several kinds of steps need: the fields of a step, texts of runtime values, outcomes."""

__all__ = ["outcome", "read_value", "want", "wanted_cpus"]

from typing import Any

from sparktune.agent.files import read_file
from sparktune.agent.kind import Outcome, StepFailed
from sparktune.agent.machine import Machine
from sparktune.agent.results import NEEDS_ROOT

_MOST_BYTES = 65_536


def outcome(word: str, why: str = "") -> Outcome:
    """Return what became of an item."""
    return {"outcome": word, "why": why} if why else {"outcome": word}


def want(step: dict[str, Any], name: str, kind: type) -> Any:  # noqa: ANN401 - of that type
    """Return a field of a step. Raises StepFailed when it is missing or of another type."""
    value = step.get(name)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        message = f"a step of the kind {step.get('kind')} needs {name!r}, not {value!r}"
        raise StepFailed(message)
    return value


def read_value(machine: Machine, path: str) -> str | None:
    """Return the text of a file of /proc or /sys, None when it is not there. Raises StepFailed."""
    result = read_file(machine.tree, {"path": path, "most_bytes": _MOST_BYTES})
    if result["state"] == "unreadable":
        why = "needs root to be read" if result["why"] == NEEDS_ROOT else f"cannot be read: {result['why']}"
        message = f"{path} {why}"
        raise StepFailed(message)
    return result.get("value")


def wanted_cpus(step: dict[str, Any]) -> frozenset[int]:
    """Return the CPUs of a step. Raises StepFailed when there is none."""
    cpus = want(step, "cpus", list)
    if not cpus or not all(isinstance(cpu, int) and cpu >= 0 for cpu in cpus):
        message = f"no CPUs: {cpus!r}"
        raise StepFailed(message)
    return frozenset(cpus)
