"""The CPUs of a running container, known by its full id: the next container of the same name is another one.

Sources: docker-update(1); Docker Engine API, ContainerUpdate: an empty ``CpusetCpus`` means that nothing is changed, so
that a cpuset cannot be taken away again.
"""

__all__ = ["KIND"]

from typing import Any

from sparktune.agent.failures import StepFailed
from sparktune.agent.kind import Items, Kind, Reading, Step
from sparktune.agent.machine import Machine
from sparktune.agent.numbers import same_cpus
from sparktune.agent.steps._shared import outcome, want


class _Container(Kind):
    name = "container"
    lenient = True

    def look(self, machine: Machine, step: Step) -> Reading:
        full_id = want(step, "container", str)
        found = machine.container(full_id)
        cpus = None if found is None else (found.get("HostConfig") or {}).get("CpusetCpus") or ""
        if cpus is None:
            return {full_id: None}
        kept = machine.kept_of_container(full_id)
        return {full_id: {"cpus": str(cpus), **({"tree": kept} if kept else {})}}

    def do(self, machine: Machine, step: Step, before: Reading) -> Items:
        del before
        full_id, cpus = want(step, "container", str), want(step, "cpus", str)
        now = self.look(machine, step)[full_id]
        if now is None:
            return {full_id: outcome("gone", "there is no such container any more")}
        if self.reached(step, full_id, now):
            return {full_id: outcome("already")}
        machine.set_cpuset(full_id, cpus)
        after = self.look(machine, step)[full_id]
        if self.reached(step, full_id, after):
            return {full_id: outcome("changed")}
        return {full_id: outcome("ineffective", f"docker has {self.shown(after)!r} after it was set to {cpus}")}

    def put_back(self, machine: Machine, step: Step, item: str, before: Any) -> None:  # noqa: ANN401
        if before is None or machine.container(item) is None:
            message = f"container {item[:12]} is gone"
            raise StepFailed(message)
        machine.restore_cpuset(item, before["cpus"], want(step, "all_cpus", str), before.get("tree", {}))

    def reached(self, step: Step, item: str, value: Any) -> bool:  # noqa: ANN401
        del item
        return value is not None and bool(value["cpus"]) and same_cpus(value["cpus"], step.get("cpus", ""))

    def same(self, step: Step, one: Any, other: Any) -> bool:  # noqa: ANN401
        """Compare CPUs: no cpuset leaves as many as one of all CPUs."""
        if one is None or other is None:
            return one is other
        every = step.get("all_cpus", "")
        return same_cpus(one["cpus"] or every, other["cpus"] or every)

    def lasts(self, step: Step) -> bool:
        """Docker keeps a container's cpuset over reboots."""
        del step
        return True

    def shown(self, value: Any) -> str | None:  # noqa: ANN401
        return None if value is None else str(value["cpus"])


KIND = _Container()
