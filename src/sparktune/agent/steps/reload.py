"""systemd or udev reads its files again. Nothing of it can be compared: undoing is doing it once more, at the end."""

__all__ = ["KIND"]

from typing import Any

from sparktune.agent.kind import Items, Kind, Reading, Step
from sparktune.agent.machine import Machine
from sparktune.agent.steps._shared import outcome


class _Reload(Kind):
    name = "reload"

    def look(self, machine: Machine, step: Step) -> Reading:
        del machine
        return {_manager(step): "as its files say"}

    def do(self, machine: Machine, step: Step, before: Reading) -> Items:
        del before
        machine.reload(_manager(step))
        return {_manager(step): outcome("changed")}

    def put_back(self, machine: Machine, step: Step, item: str, before: Any) -> None:  # noqa: ANN401
        del item, before
        machine.reload(_manager(step))

    def reached(self, step: Step, item: str, value: Any) -> bool:  # noqa: ANN401
        del step, item, value
        return True

    def lasts(self, step: Step) -> bool:
        """After a reboot, files are still put back: managers have to hear of it."""
        del step
        return True

    def again(self, step: Step) -> bool:
        del step
        return True


def _manager(step: Step) -> str:
    return str(step.get("manager", "systemd"))


KIND = _Reload()
