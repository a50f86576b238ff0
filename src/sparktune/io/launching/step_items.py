"""The items of an arm's steps as a node has them now: what to read, and what the answers mean. Pure.

Sources: sysfs-bus-pci (``msi_irqs``) and Documentation/core-api/irq/irq-affinity.rst; proc_pid_status(5) and
proc_pid_stat(5); systemctl(1), show; cgroup-v2.rst (cpuset.cpus.effective decides, whatever systemd was told); Docker
Engine API (HostConfig.CpusetCpus). Items are named as the agent names them (``model/step.py``).
"""

__all__ = ["Item", "items_of", "reads_of", "same_value"]

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from sparktune.host.cpulist import format_cpulist, parse_cpulist, parse_mask
from sparktune.io.launching.file_items import file_item, file_reads
from sparktune.io.launching.item import Item
from sparktune.model.observed import Observed, absent, present, unreadable
from sparktune.model.reads import CommandOutput, Read, ReadCommand, ReadFile, ReadFiles, Readings, ReadNames
from sparktune.model.step import (
    AffinityStep,
    ContainerStep,
    FileStep,
    IrqStep,
    LinkStep,
    PropertyStep,
    Step,
    Task,
    ValueStep,
)

_DEVICES: Final = "/sys/bus/pci/devices"
_MASKS: Final = "/proc/irq/*/smp_affinity_list"
_ALLOWED: Final = re.compile(r"^Cpus_allowed_list:[\t ]*(\S+)", re.MULTILINE)
_STARTED: Final = 19  # counted from the state, which follows the name in parentheses
_INSPECT: Final = ("docker", "inspect")
_ALL_IDS: Final = ("docker", "ps", "-aq", "--no-trunc")
_TOP: Final = ("init.scope", "system.slice", "user.slice", "machine.slice", "inference.slice")
_LISTS: Final = {"AllowedCPUs": "cpuset.cpus.effective", "AllowedMemoryNodes": "cpuset.mems.effective"}
_MOST_BYTES: Final = 8 * 1024 * 1024


def reads_of(steps: Sequence[Step]) -> tuple[Read, ...]:
    """Return what has to be read on the node."""
    asked = (file_reads(step) if isinstance(step, FileStep | LinkStep) else _reads(step) for step in steps)
    return tuple(dict.fromkeys(read for reads in asked for read in reads))


def items_of(steps: Sequence[Step], readings: Readings) -> tuple[Item, ...]:
    """Return every item of the steps, in their order."""
    found = (
        (file_item(step, readings),) if isinstance(step, FileStep | LinkStep) else _items(step, readings)
        for step in steps
    )
    return tuple(item for items in found for item in items)


def same_value(one: str, other: str, form: str) -> bool:
    """Tell whether two texts are the same value in a form."""
    try:
        if form == "cpulist":
            return parse_cpulist(one) == parse_cpulist(other)
        if form == "mask":
            return parse_mask(one) == parse_mask(other)
    except ValueError:
        return False
    return one.split() == other.split()


def _reads(step: Step) -> tuple[Read, ...]:
    match step:
        case ValueStep():
            return (ReadFile(path=step.path),)
        case IrqStep():
            devices = tuple(f"{_DEVICES}/{device}" for device in step.devices)
            names = tuple(ReadNames(pattern=f"{device}/msi_irqs/*") for device in devices)
            return (*names, *(ReadFile(path=f"{device}/irq") for device in devices), ReadFiles(pattern=_MASKS))
        case AffinityStep():
            return tuple(
                ReadFile(path=f"/proc/{task.pid}/task/{task.tid}/{name}")
                for task in step.tasks
                for name in ("status", "stat")
            )
        case PropertyStep():
            return (ReadCommand(argv=_show(step)), *((ReadFile(path=_effective(step)),) if _is_list(step) else ()))
        case ContainerStep():
            return (ReadCommand(argv=_INSPECT, arguments_from=_ALL_IDS, most_bytes=_MOST_BYTES),)
    return ()


def _items(step: Step, readings: Readings) -> tuple[Item, ...]:
    match step:
        case ValueStep():
            found = readings.file(step.path).map(lambda text: " ".join(text.split()))
            return (Item(name=step.path, found=found, wanted=step.text, form=step.form),)
        case IrqStep():
            return tuple(item for device in step.devices for item in _vectors(step, device, readings))
        case AffinityStep():
            wanted = format_cpulist(frozenset(step.cpus))
            return tuple(
                Item(
                    name=f"{task.pid}/{task.tid}/{task.start_time}",
                    found=_thread(task, readings),
                    wanted=wanted,
                    form="cpulist",
                )
                for task in step.tasks
            )
        case PropertyStep():
            form = "cpulist" if _is_list(step) else "words"
            name = f"{step.unit} {step.name}"
            return (Item(name=name, found=_property(step, readings), wanted=step.value, form=form),)
        case ContainerStep():
            found = _container(step, readings)
            return (Item(name=step.container, found=found, wanted=step.cpus, form="cpulist"),)
    return (Item(name=str(step), found=unreadable("no step that counts at once"), wanted="", form="words"),)


def _vectors(step: IrqStep, device: str, readings: Readings) -> tuple[Item, ...]:
    names = readings.names.get(f"{_DEVICES}/{device}/msi_irqs/*", ())
    numbers = sorted(int(last) for last in (name.rpartition("/")[2] for name in names) if last.isdecimal())
    legacy = (readings.file(f"{_DEVICES}/{device}/irq").value or "").strip()
    if not numbers and legacy.isdecimal() and int(legacy):
        numbers = [int(legacy)]
    if not numbers:
        return (Item(name=f"{device}#0", found=absent(), wanted="", form="cpulist"),)
    masks = readings.matching(_MASKS)
    every = format_cpulist(frozenset(step.cpus))
    return tuple(
        Item(
            name=f"{device}#{place}",
            found=masks.get(f"/proc/irq/{number}/smp_affinity_list", absent()).map(str.strip),
            wanted=str(step.cpus[place % len(step.cpus)]) if step.spread and step.cpus else every,
            form="cpulist",
        )
        for place, number in enumerate(numbers)
        if f"{device}#{place}" not in step.fixed  # the kernel places these itself
    )


def _thread(task: Task, readings: Readings) -> Observed[str]:
    folder = f"/proc/{task.pid}/task/{task.tid}"
    status, stat = readings.file(f"{folder}/status"), readings.file(f"{folder}/stat")
    if status.value is None or stat.value is None:
        return Observed(status.state if status.value is None else stat.state, None, status.why or stat.why)
    fields = stat.value[stat.value.rfind(")") + 1 :].split()
    allowed = _ALLOWED.search(status.value)
    if allowed is None or len(fields) <= _STARTED or fields[_STARTED] != str(task.start_time):
        return absent()  # another thread has its number
    return present(allowed[1])


def _is_list(step: PropertyStep) -> bool:
    return step.name in _LISTS


def _show(step: PropertyStep) -> tuple[str, ...]:
    if step.unit in _TOP and step.name == "AllowedCPUs":  # as it is asked everywhere, so that one answer serves all
        return ("systemctl", "show", "-p", "Id,AllowedCPUs", *_TOP)
    return ("systemctl", "show", "-p", f"Id,{step.name}", step.unit)


def _effective(step: PropertyStep) -> str:
    return f"/sys/fs/cgroup/{step.unit}/{_LISTS[step.name]}"


def _property(step: PropertyStep, readings: Readings) -> Observed[str]:
    """Return what is enforced, for a unit at the top; else what systemd has."""
    effective = readings.file(_effective(step)) if _is_list(step) else absent()
    if effective.value is not None and effective.value.strip():
        return effective.map(str.strip)
    return _output(readings.command(*_show(step))).map(lambda text: _of_block(text, step))


def _of_block(text: str, step: PropertyStep) -> str:
    for block in re.split(r"\n\s*\n", text):
        pairs = [line.partition("=") for line in block.splitlines()]
        lines = {key: value for key, _sign, value in pairs}
        if lines.get("Id") == step.unit and step.name in lines:
            return lines[step.name].strip()
    message = f"systemd says nothing of {step.name} of {step.unit}"
    raise ValueError(message)


def _container(step: ContainerStep, readings: Readings) -> Observed[str]:
    said = _output(readings.command(*_INSPECT))
    if said.value is None:
        return said
    with suppress(ValueError, RecursionError):
        for one in json.loads(said.value):
            if isinstance(one, dict) and one.get("Id") == step.container:
                return present(str((one.get("HostConfig") or {}).get("CpusetCpus") or step.all_cpus))
    return absent()


def _output(command: Observed[CommandOutput]) -> Observed[str]:
    if command.value is not None and command.value.code != 0 and not command.value.stdout:
        return unreadable(command.value.stderr.strip() or f"exit code {command.value.code}")
    return command.map(lambda output: output.stdout)
