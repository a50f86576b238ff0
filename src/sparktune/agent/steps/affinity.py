"""Threads get CPUs, each named by its numbers. One that ends meanwhile, or refuses, does not undo the others."""

__all__ = ["KIND"]

from sparktune.agent.failures import StepFailed
from sparktune.agent.kind import Items, Reading, Step
from sparktune.agent.machine import Machine
from sparktune.agent.steps._shared import TaskKind, item_of, want


class _Affinity(TaskKind):
    name = "affinity"

    def look(self, machine: Machine, step: Step) -> Reading:
        return self.look_at(machine, step, _items(step))

    def do(self, machine: Machine, step: Step, before: Reading) -> Items:
        del before
        return {item: self.pin(machine, step, item) for item in _items(step)}

    def outlives(self, step: Step, item: str) -> bool:
        """Process 1 is itself in every boot, and a file may have given it at boot what a step gave it before."""
        del step
        return item.startswith("1/1/")


def _items(step: Step) -> list[str]:
    try:
        return [
            item_of(int(task["pid"]), int(task["tid"]), int(task["start_time"])) for task in want(step, "tasks", list)
        ]
    except (KeyError, TypeError, ValueError):
        message = "a task needs pid, tid and start_time"
        raise StepFailed(message) from None


KIND = _Affinity()
