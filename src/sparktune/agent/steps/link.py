"""A symbolic link: it gets a target, or is removed."""

__all__ = ["KIND"]

from typing import Any

from sparktune.agent.kind import Items, Kind, Reading, SomethingElse, Step, StepFailed
from sparktune.agent.machine import Machine
from sparktune.agent.steps._shared import outcome, want


class _Link(Kind):
    name = "link"

    def look(self, machine: Machine, step: Step) -> Reading:
        path = want(step, "path", str)
        found = machine.files.capture(path)
        if found is not None and not found.keys() & {"target", "missing"}:
            message = f"{path} is a file, not a link"
            raise SomethingElse(message, "a file")
        return {path: found}

    def do(self, machine: Machine, step: Step, before: Reading) -> Items:
        path, target = want(step, "path", str), step.get("target")
        now = self.look(machine, step)[path]
        if self.reached(step, path, now):
            return {path: outcome("already")}
        if not self.same(step, now, before.get(path)):
            message = f"{path} was changed by somebody else at this moment"
            raise StepFailed(message)
        if target is None:
            machine.files.remove(path)
        else:
            machine.files.put_link(path, {"target": target})
        return {path: outcome("changed")}

    def put_back(self, machine: Machine, step: Step, item: str, before: Any) -> None:  # noqa: ANN401
        del step
        machine.files.put_back(item, before)

    def tidy(self, machine: Machine, step: Step, item: str, before: Any) -> None:  # noqa: ANN401
        del step
        machine.files.tidy(item, before)

    def reached(self, step: Step, item: str, value: Any) -> bool:  # noqa: ANN401
        del item
        return self.shown(value) == step.get("target")

    def same(self, step: Step, one: Any, other: Any) -> bool:  # noqa: ANN401
        del step
        return self.shown(one) == self.shown(other)

    def shown(self, value: Any) -> str | None:  # noqa: ANN401
        return (value or {}).get("target")

    def lasts(self, step: Step) -> bool:
        del step
        return True


KIND = _Link()
