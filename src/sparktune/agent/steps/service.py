"""A unit is started, stopped, or restarted if it runs; undoing brings back whether it ran.

Source: systemctl(1): try-restart leaves a unit alone that does not run. A restarted unit is restarted once more at the
end of undoing, when the files that it reads are what they were.
"""

__all__ = ["KIND"]

from typing import Any

from sparktune.agent.failures import StepFailed
from sparktune.agent.kind import Items, Kind, Reading, Step
from sparktune.agent.machine import Machine
from sparktune.agent.steps._shared import outcome, want

_RUNS = ("active", "activating", "reloading", "refreshing")
_DOES = ("start", "stop", "restart")


class _Service(Kind):
    name = "service"

    def look(self, machine: Machine, step: Step) -> Reading:
        unit = want(step, "unit", str)
        found = machine.unit_properties(unit, "LoadState", "ActiveState")
        return {unit: None if found.get("LoadState") == "not-found" else found.get("ActiveState", "unknown")}

    def do(self, machine: Machine, step: Step, before: Reading) -> Items:
        del before
        unit, verb = want(step, "unit", str), want(step, "do", str)
        if verb not in _DOES:
            message = f"units are not made to {verb!r}"
            raise StepFailed(message)
        now = self.look(machine, step)[unit]
        if verb == "restart":
            if now not in _RUNS:
                return {unit: outcome("already", "it does not run")}
            machine.manage("try-restart", unit)
        elif self.reached(step, unit, now):
            return {unit: outcome("already")}
        else:
            machine.manage(verb, unit)
        after = self.look(machine, step)[unit]
        if (after in _RUNS) == (verb != "stop"):
            return {unit: outcome("changed")}
        message = f"{unit} is {after} after {verb}"
        raise StepFailed(message)

    def put_back(self, machine: Machine, step: Step, item: str, before: Any) -> None:  # noqa: ANN401
        del step
        machine.manage("start" if before in _RUNS else "stop", item)

    def reached(self, step: Step, item: str, value: Any) -> bool:  # noqa: ANN401
        del item
        if step.get("do") == "restart":
            return True  # nothing shows whether a unit was restarted
        return (value in _RUNS) == (step.get("do") == "start")

    def same(self, step: Step, one: Any, other: Any) -> bool:  # noqa: ANN401
        del step
        return (one is None) == (other is None) and (one in _RUNS) == (other in _RUNS)

    def again(self, step: Step) -> bool:
        return step.get("do") == "restart"

    def lasts(self, step: Step) -> bool:
        """Whether a unit ran means something after a reboot, too: what did not come up again is started."""
        del step
        return True


KIND = _Service()
