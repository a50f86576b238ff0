"""A runtime value under /proc or /sys: written at once, read back, compared as what it is."""

__all__ = ["KIND"]

import re
from typing import Any

from sparktune.agent.failures import StepFailed
from sparktune.agent.kind import Items, Kind, Reading, Step
from sparktune.agent.machine import Machine
from sparktune.agent.numbers import mask_of, same_cpus
from sparktune.agent.steps._shared import outcome, read_value, want
from sparktune.agent.why import why

_PLACES = re.compile(r"/(?:proc/sys|proc/irq|sys)/[^\0]+")


class _Value(Kind):
    name = "value"

    def look(self, machine: Machine, step: Step) -> Reading:
        path = want(step, "path", str)
        if not _PLACES.fullmatch(path) or ".." in path.split("/"):
            message = f"{path} is no runtime value"
            raise StepFailed(message)
        return {path: read_value(machine, path)}

    def do(self, machine: Machine, step: Step, before: Reading) -> Items:
        del before
        path = want(step, "path", str)
        now = self.look(machine, step)[path]
        if now is None:
            message = f"{path} does not exist here"
            raise StepFailed(message)
        if self.reached(step, path, now):
            return {path: outcome("already")}
        try:
            machine.write_value(path, want(step, "text", str).strip() + "\n")
        except OSError as error:
            message = f"{path}: {why(error)}"
            raise StepFailed(message) from error
        after = self.look(machine, step)[path]
        if self.reached(step, path, after):
            return {path: outcome("changed")}
        return {path: outcome("ineffective", f"it reads {self.shown(after)!r} after writing {step['text']!r}")}

    def put_back(self, machine: Machine, step: Step, item: str, before: Any) -> None:  # noqa: ANN401
        del step
        if before is None:
            message = f"{item} did not exist before: it cannot be put back"
            raise StepFailed(message)
        try:
            machine.restore_value(item, before, {})
        except OSError as error:
            message = f"{item}: {why(error)}"
            raise StepFailed(message) from error

    def reached(self, step: Step, item: str, value: Any) -> bool:  # noqa: ANN401
        del item
        return self.same(step, value, step.get("text"))

    def same(self, step: Step, one: Any, other: Any) -> bool:  # noqa: ANN401
        if one is None or other is None:
            return one is other
        form = step.get("form", "words")
        if form == "cpulist":
            return same_cpus(one, other)
        if form == "mask":
            return _same_masks(one, other)
        return bool(one.split() == other.split())

    def shown(self, value: Any) -> str | None:  # noqa: ANN401
        return None if value is None else " ".join(value.split())

    def lasts(self, step: Step) -> bool:
        return bool(step.get("lasting"))


def _same_masks(one: str, other: str) -> bool:
    try:
        return mask_of(one) == mask_of(other)
    except ValueError:
        return False


KIND = _Value()
