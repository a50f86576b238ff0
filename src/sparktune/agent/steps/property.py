"""A property of a systemd unit until the next boot, and what of it is effective.

Sources: systemctl(1), set-property; core/unit.c of systemd (unit_write_setting): besides setting it, systemd writes
``UNIT.d/50-NAME.conf`` below ``/run/systemd/system.control``, for units without a file of their own like init.scope
below ``/run/systemd/transient`` (seen with systemd 252); it has to go away again. systemd.resource-control(5),
AllowedCPUs=: the property is kept where no controller enforces it, so that the control group's own file decides. A
property follows the unit's files at every reload, its control group does not: this step comes before files that make
it last, and so is undone after them, also when it is those files that gave the unit its CPUs at another boot.
"""

__all__ = ["KIND"]

from typing import Any

from sparktune.agent.failures import StepFailed
from sparktune.agent.kind import Items, Kind, Outcome, Reading, Step
from sparktune.agent.machine import Machine
from sparktune.agent.machine_files import Captured
from sparktune.agent.numbers import plain_cpus, same_cpus
from sparktune.agent.steps._shared import outcome, read_value, want

_LISTS = {"AllowedCPUs": "cpuset.cpus.effective", "AllowedMemoryNodes": "cpuset.mems.effective"}
_BOOT = "/proc/sys/kernel/random/boot_id"
_FOLDERS = ("/run/systemd/system.control", "/run/systemd/transient")
_CGROUPS = "/sys/fs/cgroup"
_NOT_SET = "[not set]"  # how systemctl shows a number that nobody set
_TRIES = 40  # systemd answers before it has written to the control group


class _Property(Kind):
    name = "property"

    def look(self, machine: Machine, step: Step) -> Reading:
        unit, name = want(step, "unit", str), want(step, "name", str)
        found = machine.unit_properties(unit, "LoadState", name)
        if name not in found:
            message = f"systemd says nothing of {name} of {unit}"
            raise StepFailed(message)
        if found.get("LoadState") in {"not-found", "masked", "error", "bad-setting"}:
            message = f"{unit} is {found['LoadState']}"
            raise StepFailed(message)
        kept = machine.kept_of_unit(unit)
        files = {path: machine.files.capture(path) for path in _drop_ins(step)}
        boot = (read_value(machine, _BOOT) or "").strip()
        value = {"value": found[name], "files": files, "list": name in _LISTS, "boot": boot}
        return {_item(step): {**value, "tree": kept} if kept else value}

    def do(self, machine: Machine, step: Step, before: Reading) -> Items:
        del before
        item, value = _item(step), want(step, "value", str)
        if self.reached(step, item, self.look(machine, step)[item]):
            found = _effective(machine, step)
            return {item: {**found, "outcome": "already"} if found["outcome"] == "changed" else found}
        machine.set_property(step["unit"], step["name"], value)
        if not self.reached(step, item, now := self.look(machine, step)[item]):
            return {item: outcome("ineffective", f"systemd has {self.shown(now)} after it was set to {value}")}
        return {item: _effective(machine, step)}

    def put_back(self, machine: Machine, step: Step, item: str, before: Any) -> None:  # noqa: ANN401
        value = "" if before["value"] == _NOT_SET else before["value"]
        machine.restore_property(step["unit"], step["name"], value, before.get("tree", {}))
        self.tidy(machine, step, item, before)

    def tidy(self, machine: Machine, step: Step, item: str, before: Any) -> None:  # noqa: ANN401
        """Take away systemd's own file once the property is what it was: without it, a reload keeps it so."""
        now = self.look(machine, step)[item]
        drop_ins = _to_put_back(before, now)
        if not self.same(step, now, before) or not drop_ins:
            return
        for path, was in drop_ins.items():
            machine.files.put_back(path, was)
        machine.reload("systemd")

    def reached(self, step: Step, item: str, value: Any) -> bool:  # noqa: ANN401
        del item
        return value is not None and self.same(step, value, {"value": step.get("value", "")})

    def same(self, step: Step, one: Any, other: Any) -> bool:  # noqa: ANN401
        if one is None or other is None:
            return one is other
        if step.get("name") in _LISTS:
            return same_cpus(one["value"], other["value"])
        return bool(one["value"] == other["value"])

    def lasts(self, step: Step) -> bool:
        """After a reboot files give the unit what this step gave it: putting back makes it live at once."""
        del step
        return True

    def shown(self, value: Any) -> str | None:  # noqa: ANN401
        """Return a list as the kernel has it: systemd puts spaces between its ranges."""
        if value is None or not value["value"]:
            return None
        return plain_cpus(value["value"]) if value["list"] else str(value["value"])


def _item(step: Step) -> str:
    return f"{step['unit']} {step['name']}"


def _drop_ins(step: Step) -> tuple[str, ...]:
    return tuple(f"{folder}/{step['unit']}.d/50-{step['name']}.conf" for folder in _FOLDERS)


def _to_put_back(before: Any, now: Any) -> dict[str, Captured]:  # noqa: ANN401
    """Return the drop-ins that are not what they were. What was in /run in another boot is gone with it."""
    if before["boot"] == now["boot"]:
        return {path: was for path, was in before["files"].items() if was != now["files"][path]}
    there = [path for path, found in now["files"].items() if found and "missing" not in found]
    return {path: {"missing": [path.rpartition("/")[0]]} for path in there}


def _effective(machine: Machine, step: Step) -> Outcome:
    """Tell whether the control group has what was set; only for lists, which may be cut without a word."""
    leaf = _LISTS.get(step["name"])
    if leaf is None or not step["value"].strip():
        return outcome("changed")
    group = machine.unit_properties(step["unit"], "ControlGroup").get("ControlGroup", "")
    if not group:
        return outcome("changed", "the unit does not run: it counts as soon as it does")
    if not machine.tree.exists(f"{_CGROUPS}/cgroup.controllers"):
        return outcome("ineffective", "systemd has taken it, and nothing enforces it: control groups of version 1")
    found = None
    for _try in range(_TRIES):
        found = read_value(machine, f"{_CGROUPS}{group}/{leaf}")
        if found is not None and same_cpus(found, step["value"]):
            return outcome("changed")
        machine.pause()
    if found is None:
        return outcome("ineffective", f"systemd has taken it, and nothing enforces it: {group} has no {leaf}")
    return outcome("ineffective", f"{leaf} of {group} is {found.strip() or 'empty'}")


KIND = _Property()
