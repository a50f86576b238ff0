"""The node itself sets masks again after a boot, and when a device or its driver comes back.

Source: the units in ``host/reapply_units.py`` and the manual pages named there. A ConnectX without a cable is taken off
the bus of a GB10 some seconds after the boot and comes back with the cable: what is set once at boot does not last.
"""

__all__ = ["CHANGE"]

from typing import Literal

from sparktune.host.changes._shared import diff_of
from sparktune.host.checks import checks_of
from sparktune.host.facts._shared import output, unit_blocks
from sparktune.host.facts.interrupts import InterruptFacts, MsiDevice
from sparktune.host.facts.workqueue import WorkqueueFacts
from sparktune.host.irq_targets import Placement, listed_addresses, needs_move, place_interrupts, targets_of
from sparktune.host.placement import cores_of
from sparktune.host.reapply_units import RULE, UnitFile, unit_files, unit_links
from sparktune.model.host_plan import (
    ChangePlan,
    CheckStatus,
    HostChange,
    HostCheck,
    HostView,
    PlannedStep,
    Refusal,
    TakesEffect,
)
from sparktune.model.node import NodeFacts
from sparktune.model.observed import State
from sparktune.model.profile import IrqPolicy, Profile
from sparktune.model.reads import Read, ReadCommand, ReadFile, ReadLinks, ReadNames
from sparktune.model.step import FileStep, LinkStep, ReloadStep

_ID = "reapply"
_check = checks_of(_ID)
_SHOW = ("systemctl", "show", "-p", "Id,Result,ExecMainStatus", "sparktune-reapply.service")
_SEEDS = "/etc/systemd/system/*.wants/irq-affinity.service"
_ALSO = "irq-affinity.service is enabled, too, and sets interrupts at boot by their names: sudo systemctl disable it"
_NO_UNIT = "what a boot or a device that comes back undoes stays undone"
_GONE = f"{_NO_UNIT}: sparktune host revert, then apply"


def _reads(_facts: NodeFacts, profile: Profile) -> tuple[Read, ...]:
    if not _wants_interrupts(profile) and not _wants_workers(profile):
        return ()
    files = tuple(ReadFile(path=file.path) for file in unit_files((), interrupts=True))
    links = tuple(ReadLinks(pattern=path) for path, _ in unit_links(interrupts=True))
    return (*files, *links, ReadNames(pattern=_SEEDS), ReadCommand(argv=_SHOW))


def _wants_interrupts(profile: Profile) -> bool:
    return profile.irq is not IrqPolicy.LEAVE and "irq-affinity" not in profile.without


def _wants_workers(profile: Profile) -> bool:
    return "workqueue" not in profile.without


def _needed(view: HostView) -> tuple[bool, bool]:
    """Return whether interrupts and whether masks of workers are to be set again: planned now, or applied before."""
    applied = view.applied_boot is not None
    targets, place = (
        targets_of(view.facts.get(InterruptFacts), view.profile),
        place_interrupts(view.facts, view.profile.irq),
    )
    devices = targets.value.devices if targets.value is not None and place.value is not None else ()
    interrupts = any(device.vectors and (applied or _moves(device, place.value)) for device in devices)
    workers, cores = view.facts.get(WorkqueueFacts), cores_of(view.facts).value
    unbound = workers.unbound.value if workers is not None else None
    outside = unbound is not None and cores is not None and (applied or not unbound <= cores.efficiency)
    return _wants_interrupts(view.profile) and interrupts, _wants_workers(view.profile) and outside


def _moves(device: MsiDevice, place: Placement | None) -> bool:
    return place is not None and needs_move(device, place)


def _files(view: HostView, *, interrupts: bool) -> tuple[UnitFile, ...]:
    return unit_files(listed_addresses(view.profile), interrupts=interrupts)


def _plan(view: HostView) -> ChangePlan:
    interrupts, workers = _needed(view)
    if not interrupts and not workers:
        return ChangePlan()
    files = _files(view, interrupts=interrupts)
    closed = [file.path for file in files if view.readings.file(file.path).state is State.UNREADABLE]
    if closed:
        reason = f"{closed[0]} cannot be read: {view.readings.file(closed[0]).why}"
        hint = f"ask as root, or --without {_ID}: {_NO_UNIT}"
        return ChangePlan(refusals=(Refusal(change=_ID, reason=reason, hint=hint),))
    changed = [file for file in files if view.readings.file(file.path).value != file.text]
    links = [link for link in unit_links(interrupts=interrupts) if _target(view, link[0]) != link[1]]
    steps = (*(_file_step(view, file) for file in changed), *(_link_step(view, *link) for link in links))
    rules = any(file.path == RULE for file in changed)
    reloads = (*((_reload("systemd"),) if steps else ()), *((_reload("udev"),) if rules else ()))
    return ChangePlan(steps=(*steps, *reloads), notes=(_ALSO,) if view.readings.names.get(_SEEDS) else ())


def _target(view: HostView, path: str) -> str | None:
    return view.readings.links.get(path, {}).get(path)


def _file_step(view: HostView, file: UnitFile) -> PlannedStep:
    before = view.readings.file(file.path).value
    return PlannedStep(
        change=_ID,
        target=file.path,
        before="no file" if before is None else "another text",
        after=file.role,
        takes_effect=TakesEffect.LIVE,
        step=FileStep(path=file.path, text=file.text, expect={file.path: before}),
        diff=diff_of(file.path, before, file.text),
    )


def _link_step(view: HostView, path: str, target: str) -> PlannedStep:
    before = _target(view, path)
    return PlannedStep(
        change=_ID,
        target=path,
        before=before or "not enabled",
        after=target,
        takes_effect=TakesEffect.REBOOT,
        step=LinkStep(path=path, target=target, expect={path: before}),
    )


def _reload(manager: Literal["systemd", "udev"]) -> PlannedStep:
    return PlannedStep(
        change=_ID,
        target=f"{manager}'s files",
        before="as read before",
        after="read again",
        takes_effect=TakesEffect.LIVE,
        step=ReloadStep(manager=manager),
    )


def _verify(view: HostView) -> tuple[HostCheck, ...]:
    interrupts, workers = _needed(view)
    if view.applied_boot is None or not (interrupts or workers):
        return ()
    files = [_check_file(view, file) for file in _files(view, interrupts=interrupts)]
    links = [_check_link(view, *link) for link in unit_links(interrupts=interrupts)]
    return (*files, *links, *_last_run(view))


def _check_file(view: HostView, file: UnitFile) -> HostCheck:
    now = view.readings.file(file.path)
    if now.value is None:
        absent = now.state is State.ABSENT
        status = CheckStatus.ABSENT if absent else CheckStatus.UNREADABLE
        return _check(file.path, file.role, "no file" if absent else "", status, _GONE if absent else now.why)
    if now.value == file.text:
        return _check(file.path, file.role, file.role, CheckStatus.OK)
    return _check(file.path, file.role, "another text", CheckStatus.DIFFERENT, "somebody else has written it")


def _check_link(view: HostView, path: str, target: str) -> HostCheck:
    now, closed = _target(view, path), view.readings.unread.get(path)
    if now is None:
        status = CheckStatus.UNREADABLE if closed else CheckStatus.ABSENT
        return _check(path, target, "", status, closed or "it is not enabled: nothing starts it at boot")
    status = CheckStatus.OK if now == target else CheckStatus.DIFFERENT
    return _check(path, target, now, status, "" if now == target else "the link leads elsewhere")


def _last_run(view: HostView) -> tuple[HostCheck, ...]:
    """Tell of a last run that failed. One that never ran has the result success, too: the masks tell what is so."""
    shown = output(view.readings.command(*_SHOW)).value
    unit = unit_blocks(shown or "").get("sparktune-reapply.service", {})
    result = unit.get("Result", "success")
    if result == "success":
        return ()
    why = "journalctl -u sparktune-reapply says why"
    found = f"{result} ({unit.get('ExecMainStatus', '')})"
    return (_check("sparktune-reapply.service", "success", found, CheckStatus.DIFFERENT, why),)


CHANGE = HostChange(
    id=_ID,
    title="Masks that outlive a boot and a device",
    does="installs a unit, a timer and a udev rule that set masks again at boot and when a driver binds to a device",
    does_not=(
        "watch: what irqbalance, ethtool -L or a person moves later is told by verify, and so are interrupts that a "
        "driver makes more than a minute after it was bound"
    ),
    effect="none measured; it keeps irq-affinity and workqueue from being lost",
    source="systemd.device(5), systemd.timer(5), udev(7)",
    order=400,
    plan=_plan,
    verify=_verify,
    reads=_reads,
)
