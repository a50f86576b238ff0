"""What several kinds of steps need: the fields of a step, texts of runtime values, outcomes."""

__all__ = ["PathKind", "outcome", "read_value", "want", "wanted_cpus"]

from abc import abstractmethod
from typing import Any

from sparktune.agent.files import read_file
from sparktune.agent.kind import Items, Kind, Outcome, Reading, Step, StepFailed
from sparktune.agent.machine import Machine
from sparktune.agent.results import NEEDS_ROOT

_MOST_BYTES = 65_536


class PathKind(Kind):
    """A kind whose one item is something on the disk: it gets a content, or is removed, and is put back whole."""

    content: str  # the field of the step that says what it gets, None to be removed

    @abstractmethod
    def put(self, machine: Machine, step: Step, now: Any) -> None:  # noqa: ANN401 - as in a reading
        """Write the content where ``now`` is. Raises StepFailed and OSError."""

    def do(self, machine: Machine, step: Step, before: Reading) -> Items:
        """Do it, unless it is so already. Raises StepFailed when somebody else was faster, and OSError."""
        path = want(step, "path", str)
        now = self.look(machine, step)[path]
        if self.reached(step, path, now):
            return {path: outcome("already")}
        if not self.same(step, now, before.get(path)):
            message = f"{path} was changed by somebody else at this moment"
            raise StepFailed(message)
        if step.get(self.content) is None:
            machine.files.remove(path)
        else:
            self.put(machine, step, now)
        return {path: outcome("changed")}

    def put_back(self, machine: Machine, step: Step, item: str, before: Any) -> None:  # noqa: ANN401 - as in a reading
        """Make it what it was."""
        del step
        machine.files.put_back(item, before)

    def tidy(self, machine: Machine, step: Step, item: str, before: Any) -> None:  # noqa: ANN401 - as in a reading
        """Remove what a kill left beside it."""
        del step
        machine.files.tidy(item, before)

    def lasts(self, step: Step) -> bool:
        """Tell that the disk outlives a boot."""
        del step
        return True


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
