"""A symbolic link: it gets a target, or is removed."""

__all__ = ["KIND"]

from typing import Any

from sparktune.agent.failures import SomethingElse
from sparktune.agent.kind import Reading, Step
from sparktune.agent.machine import Machine
from sparktune.agent.steps._shared import PathKind, want


class _Link(PathKind):
    name = "link"
    content = "target"

    def look(self, machine: Machine, step: Step) -> Reading:
        path = want(step, "path", str)
        found = machine.files.capture(path)
        if found is not None and not found.keys() & {"target", "missing"}:
            message = f"{path} is a file, not a link"
            raise SomethingElse(message, "a file")
        return {path: found}

    def put(self, machine: Machine, step: Step, now: Any) -> None:  # noqa: ANN401
        del now
        machine.files.put_link(step["path"], {"target": step["target"]})

    def reached(self, step: Step, item: str, value: Any) -> bool:  # noqa: ANN401
        del item
        return self.shown(value) == step.get("target")

    def same(self, step: Step, one: Any, other: Any) -> bool:  # noqa: ANN401
        del step
        return self.shown(one) == self.shown(other)

    def shown(self, value: Any) -> str | None:  # noqa: ANN401
        return (value or {}).get("target")


KIND = _Link()
