"""Whether the slices have the cores that they should, now and at the next boot.

Sources: systemd.resource-control(5), AllowedCPUs=; Documentation/admin-guide/cgroup-v2.rst, cpuset.cpus.effective.
"""

__all__ = ["check_slices", "not_effective"]

from sparktune.host.cpulist import format_cpulist
from sparktune.host.facts.systemd import SystemdFacts
from sparktune.host.other_mode import left_by_mode
from sparktune.host.placement import Cores, cores_of
from sparktune.host.slice_units import DROP_INS, FAST, UNITS, cpus_of_unit, drop_in_path
from sparktune.host.unit_cpus import boot_cpus, unit_lines
from sparktune.model.host_plan import CheckStatus, HostCheck, HostView
from sparktune.model.observed import State
from sparktune.model.profile import Mode

_OTHER_BOOT = "its property is not set, and the cores that it got at boot stay until the next one"


def not_effective(systemd: SystemdFacts) -> str:
    """Return why a cpuset of a slice would not be enforced; empty where it is."""
    controllers = systemd.controllers
    if controllers.value is not None and "cpuset" in controllers.value:
        return ""
    if controllers.state is State.UNREADABLE:
        return f"the controllers of cgroups cannot be read: {controllers.why}"
    if controllers.value is None:
        return "not effective here: /sys/fs/cgroup is not version 2; AllowedCPUs= would be stored and not enforced"
    return f"not effective here: there is no cpuset among the cgroup controllers ({' '.join(controllers.value)})"


def check_slices(view: HostView) -> tuple[HostCheck, ...]:
    """Return two checks for each unit; of a profile that is not applied only what waits for a boot."""
    systemd, cores = view.facts.get(SystemdFacts), cores_of(view.facts)
    if view.applied_boot is None:
        return _pending(systemd, cores.value)
    if view.profile.mode is not Mode.SLICES:
        return left_by_mode("slices", view, Mode.SLICES, DROP_INS)
    if systemd is None or cores.value is None:
        why = cores.why if systemd is not None else "systemd did not answer"
        return (_check("slices", "their cores", "", CheckStatus.UNREADABLE, why),)
    now = [_now(systemd, unit, cores.value) for unit in UNITS]
    return (*now, *(_at_next_boot(view, unit, cores.value) for unit in UNITS))


def _pending(systemd: SystemdFacts | None, cores: Cores | None) -> tuple[HostCheck, ...]:
    """Tell what of an earlier boot's files still rules: taking a drop-in away does not widen a running unit."""
    if systemd is None or cores is None or not_effective(systemd):
        return ()
    found = []
    for unit in UNITS:
        one = systemd.slice_cpus(unit)
        now = one.effective.value
        if one.allowed.state is State.ABSENT and now and now < cores.online:
            wanted = format_cpulist(cores.online)
            found.append(_check(unit, wanted, format_cpulist(now), CheckStatus.PENDING_REBOOT, _OTHER_BOOT))
    return tuple(found)


def _check(target: str, wanted: str, effective: str, status: CheckStatus, why: str = "") -> HostCheck:
    return HostCheck(change="slices", target=target, wanted=wanted, effective=effective, status=status, why=why)


def _now(systemd: SystemdFacts, unit: str, cores: Cores) -> HostCheck:
    one, wanted = systemd.slice_cpus(unit), cpus_of_unit(unit, cores)
    text = format_cpulist(wanted)
    if one.effective.value is not None:
        same = one.effective.value == wanted
        why = "" if same else "something else set it, or a group above it leaves it fewer"
        status = CheckStatus.OK if same else CheckStatus.DIFFERENT
        return _check(unit, text, format_cpulist(one.effective.value), status, why)
    if one.effective.state is State.UNREADABLE:
        return _check(unit, text, "", CheckStatus.UNREADABLE, one.effective.why)
    if not_effective(systemd):
        why = "the property may be set, but cgroups have no cpuset here: nothing enforces it"
        return _check(unit, text, "not enforced", CheckStatus.DIFFERENT, why)
    if unit == FAST:
        return _check(unit, text, "nothing runs in it", CheckStatus.OK)
    why = "its control group has no cpuset: the property is not set, or systemd could not switch the controller on"
    return _check(unit, text, "all cores", CheckStatus.DIFFERENT, why)


def _at_next_boot(view: HostView, unit: str, cores: Cores) -> HostCheck:
    lines, wanted = unit_lines(view.readings, unit), cpus_of_unit(unit, cores)
    target, text = f"{unit} at boot", format_cpulist(wanted)
    boot = boot_cpus(lines.value or ())
    if lines.value is None or boot.state is State.UNREADABLE:
        return _check(target, text, "", CheckStatus.UNREADABLE, lines.why or boot.why)
    if boot.value is None:
        return _check(target, text, "", CheckStatus.ABSENT, f"no file sets it: {drop_in_path(unit)} was taken away")
    status = CheckStatus.OK if boot.value == wanted else CheckStatus.DIFFERENT
    why = "" if status is CheckStatus.OK else f"the last file that says so is {lines.value[-1].path}"
    return _check(target, text, format_cpulist(boot.value), status, why)
