"""Another target becomes active now, which ends what does not belong to it; undoing goes back to the one before.

Sources: systemctl(1), isolate; systemd.special(7): graphical.target pulls in multi-user.target, so that both are active
in a graphical session. What was ended is started again, but not as it was: sessions and their windows are lost.
"""

__all__ = ["KIND"]

from typing import Any

from sparktune.agent.failures import StepFailed
from sparktune.agent.kind import Items, Kind, Reading, Step
from sparktune.agent.machine import Machine
from sparktune.agent.steps._shared import outcome, want

_GRAPHICAL = "graphical.target"


class _Isolate(Kind):
    name = "isolate"

    def look(self, machine: Machine, step: Step) -> Reading:
        target, back = want(step, "target", str), want(step, "back", str)
        states = {"target": _state(machine, target), "back": _state(machine, back)}
        active = back if states["back"] == "active" else target if states["target"] == "active" else None
        return {target: {**states, "active": active}}

    def do(self, machine: Machine, step: Step, before: Reading) -> Items:
        del before
        target = want(step, "target", str)
        if self.reached(step, target, self.look(machine, step)[target]):
            return {target: outcome("already")}
        machine.manage("isolate", target)
        now = self.look(machine, step)[target]
        if self.reached(step, target, now):
            return {target: outcome("changed")}
        message = f"{target} is {now['target']} and {step['back']} is {now['back']} after isolating"
        raise StepFailed(message)

    def put_back(self, machine: Machine, step: Step, item: str, before: Any) -> None:  # noqa: ANN401
        del item
        if before["back"] != "active":
            message = f"{step['back']} was not active before: there is no target to go back to"
            raise StepFailed(message)
        machine.manage("isolate", want(step, "back", str))

    def reached(self, step: Step, item: str, value: Any) -> bool:  # noqa: ANN401
        del item
        ended = value["back"] != "active" or step.get("back") != _GRAPHICAL
        return bool(value["target"] == "active" and ended)

    def shown(self, value: Any) -> str | None:  # noqa: ANN401
        """Return which of the two is active, ``back`` where both are."""
        return None if value is None or value["active"] is None else str(value["active"])


def _state(machine: Machine, target: str) -> str:
    return machine.unit_properties(target, "ActiveState").get("ActiveState", "unknown")


KIND = _Isolate()
