"""The CPUs of a PCI device's interrupts, vector by vector.

Sources: sysfs-bus-pci for ``msi_irqs`` and ``irq``; Documentation/core-api/irq/irq-affinity.rst; kernel/irq/proc.c
(write_irq_affinity): an interrupt that the kernel places itself is refused with EPERM, with EIO by older kernels. What
was asked for stands in smp_affinity_list at once; on x86 the effective list follows with the next interrupt.
"""

__all__ = ["KIND"]

import errno
import os
import re
from collections.abc import Collection
from typing import Any

from sparktune.agent.failures import StepFailed
from sparktune.agent.kind import Items, Outcome, Reading, Step
from sparktune.agent.machine import Machine
from sparktune.agent.numbers import format_cpus, same_cpus
from sparktune.agent.steps._shared import CpusKind, outcome, read_value, want, wanted_cpus
from sparktune.agent.why import GONE, why

_DEVICES = "/sys/bus/pci/devices"
_ADDRESS = re.compile(r"[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]")
_BRIDGE = "0x06"
_UNMOVABLE = (errno.EPERM, errno.EIO)
_OTHER_FORMS = ("smp_affinity", "effective_affinity", "effective_affinity_list")
_WORDS = {
    errno.EPERM: "the kernel lets nobody move it",
    errno.EIO: "the kernel lets nobody move it",
    errno.EINVAL: "none of these CPUs is online",
    errno.EOVERFLOW: "there are no such CPUs",
    errno.ERANGE: "there are no such CPUs",
    errno.ENOSPC: "these CPUs have no interrupt vector left",
}


class _Irq(CpusKind):
    name = "irq"
    lenient = True

    def look(self, machine: Machine, step: Step) -> Reading:
        reading: Reading = {}
        for device in _devices(machine, step):
            for place, irq in enumerate(_irqs(machine, device)):
                reading[f"{device}#{place}"] = _value(machine, irq)
        return reading

    def do(self, machine: Machine, step: Step, before: Reading) -> Items:
        del before
        now = self.look(machine, step)
        done = {item: self._move(machine, step, item, value) for item, value in now.items()}
        for device in _devices(machine, step):
            if not any(item.startswith(f"{device}#") for item in now):
                done[f"{device}#0"] = outcome("gone", _why_none(machine, device))
        return done

    def _move(self, machine: Machine, step: Step, item: str, value: Any) -> Outcome:  # noqa: ANN401
        if self.reached(step, item, value):
            return outcome("already")
        if value is None:
            return outcome("gone", "the interrupt has no file of affinity")
        wanted = _wanted(step, item)
        try:
            machine.write_value(_path(value["irq"]), wanted + "\n")
        except OSError as error:
            return _refusal(step, item, error)
        after = _value(machine, value["irq"])
        if self.reached(step, item, after):
            return outcome("changed")
        found = "nothing" if after is None else after["cpus"]
        return outcome("ineffective", f"it reads {found} after writing {wanted}")

    def put_back(self, machine: Machine, step: Step, item: str, before: Any) -> None:  # noqa: ANN401
        del step
        device, _, place = item.rpartition("#")
        irq = dict(enumerate(_irqs(machine, device))).get(int(place))
        if irq is None or before is None:
            message = f"{item} is gone"
            raise StepFailed(message)
        try:
            machine.restore_value(_path(irq), before["cpus"] + "\n", _kept(before, irq))
        except OSError as error:
            message = f"interrupt {irq} ({item}): {_words(error)}"
            raise StepFailed(message) from error

    def reached(self, step: Step, item: str, value: Any) -> bool:  # noqa: ANN401
        return value is not None and same_cpus(value["cpus"], _wanted(step, item))


def _devices(machine: Machine, step: Step) -> list[str]:
    devices = list(dict.fromkeys(want(step, "devices", list)))
    if step.get("arrivals"):
        devices += [device for device in _of_vendors(machine, step.get("vendors") or ()) if device not in devices]
    wrong = [device for device in devices if not (isinstance(device, str) and _ADDRESS.fullmatch(device))]
    if wrong:
        message = f"no PCI address: {wrong[0]!r}"
        raise StepFailed(message)
    return devices


def _of_vendors(machine: Machine, vendors: Collection[Any]) -> list[str]:
    """Return the devices of these vendors that have vectors now, but for bridges: theirs are for slots and errors."""
    try:
        addresses = sorted(filter(_ADDRESS.fullmatch, machine.tree.names(_DEVICES))) if vendors else []
    except OSError as error:
        if error.errno in GONE:
            return []
        message = f"{_DEVICES}: {why(error)}"
        raise StepFailed(message) from error
    return [
        address
        for address in addresses
        if _said_of(machine, address, "vendor") in vendors
        and not _said_of(machine, address, "class").startswith(_BRIDGE)
        and machine.tree.exists(f"{_DEVICES}/{address}/msi_irqs")
    ]


def _said_of(machine: Machine, address: str, name: str) -> str:
    return (read_value(machine, f"{_DEVICES}/{address}/{name}") or "").strip()


def _wanted(step: Step, item: str) -> str:
    every, cpus = wanted_cpus(step), step["cpus"]
    place = int(item.rpartition("#")[2])
    return str(cpus[place % len(cpus)]) if step.get("spread") else format_cpus(every)


def _irqs(machine: Machine, device: str) -> list[int]:
    """Return a device's interrupts by number; a device without message-signalled ones may have one of the old kind."""
    try:
        names = machine.tree.names(f"{_DEVICES}/{device}/msi_irqs")
    except OSError as error:
        if error.errno not in GONE:
            message = f"{device}: {why(error)}"
            raise StepFailed(message) from error
        names = []
    vectors = sorted(int(name) for name in names if name.isdecimal())
    if vectors:
        return vectors
    legacy = (read_value(machine, f"{_DEVICES}/{device}/irq") or "0").strip()
    number = int(legacy) if legacy.isdecimal() else 0
    return [number] if number and machine.tree.exists(f"/proc/irq/{number}") else []


def _value(machine: Machine, irq: int) -> Any:  # noqa: ANN401
    text = read_value(machine, _path(irq))
    if text is None:
        return None
    kept = machine.kept(*(f"/proc/irq/{irq}/{name}" for name in _OTHER_FORMS))
    return {"irq": irq, "cpus": text.strip(), **({"tree": kept} if kept else {})}


def _kept(before: Any, irq: int) -> dict[str, str]:  # noqa: ANN401
    """Return what a tree kept, which counts only for the number that it was kept of."""
    return before.get("tree", {}) if before["irq"] == irq else {}


def _path(irq: int) -> str:
    return f"/proc/irq/{irq}/smp_affinity_list"


def _words(error: OSError) -> str:
    words = _WORDS.get(error.errno or 0)
    return f"{words} ({os.strerror(error.errno or 0)})" if words else why(error)


def _refusal(step: Step, item: str, error: OSError) -> Outcome:
    if error.errno in _UNMOVABLE and item in step.get("fixed", ()):
        return outcome("managed", "the kernel places it itself")
    if error.errno in GONE:
        return outcome("gone", "the interrupt went away")
    return outcome("refused", _words(error))


def _why_none(machine: Machine, device: str) -> str:
    there = machine.tree.exists(f"{_DEVICES}/{device}")
    return "the device has no interrupts" if there else "the device is not there"


KIND = _Irq()
