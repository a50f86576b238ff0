"""Whether the manager has the mask that its files give it, now and at the next boot.

Source: systemd's core/main.c: PID 1 applies ``CPUAffinity=`` to itself at boot and at daemon-reload, and nothing but a
boot takes it back where no file sets it any more.
"""

__all__ = ["check_manager"]

from sparktune.host.checks import checks_of
from sparktune.host.cpulist import format_cpulist
from sparktune.host.facts.cpu import CpuFacts
from sparktune.host.facts.systemd import SystemdFacts
from sparktune.host.manager_mask import MANAGER_FILE, NOT_BEFORE_BOOT, expected_mask
from sparktune.host.other_mode import left_by_mode
from sparktune.host.placement import Cores, cores_of
from sparktune.model.host_plan import CheckStatus, HostCheck, HostView
from sparktune.model.observed import State
from sparktune.model.profile import Mode

_ID = "manager-affinity"
_check = checks_of(_ID)
_FILES = "CPUAffinity= in files"
_PID_1 = "PID 1"


def check_manager(view: HostView) -> tuple[HostCheck, ...]:
    """Return a check of the files and one of PID 1; where the profile does not set it, only what waits for a boot."""
    systemd = view.facts.get(SystemdFacts)
    if view.applied_boot is None or view.profile.mode is not Mode.CLASSIC:
        left = () if view.applied_boot is None else left_by_mode(_ID, view, Mode.CLASSIC, (MANAGER_FILE,))
        return (*left, *(_pending(view, systemd) if systemd is not None else ()))
    cores = cores_of(view.facts)
    if systemd is None or cores.value is None:
        why = cores.why if systemd is not None else "systemd did not answer"
        return (_check(_FILES, "the efficiency cores", "", CheckStatus.UNREADABLE, why),)
    return (_files(systemd, cores.value), _manager(view, systemd, cores.value))


def _pending(view: HostView, systemd: SystemdFacts) -> tuple[HostCheck, ...]:
    """Tell when PID 1 still has what other files gave it at boot: after an undo it stays so until the next one."""
    cpu = view.facts.get(CpuFacts)
    online = cpu.online.value if cpu is not None else None
    if not online or systemd.manager_live.value is None:
        return ()
    live, expected = systemd.manager_live.value & online, expected_mask(systemd, online)
    if expected is None or live == expected:
        return ()
    return (
        _check(_PID_1, format_cpulist(expected), format_cpulist(live), CheckStatus.PENDING_REBOOT, NOT_BEFORE_BOOT),
    )


def _files(systemd: SystemdFacts, cores: Cores) -> HostCheck:
    wanted, found = format_cpulist(cores.efficiency), systemd.manager_wanted
    if found.value is None:
        status = CheckStatus.ABSENT if found.state is State.ABSENT else CheckStatus.UNREADABLE
        return _check(_FILES, wanted, "", status, found.why or "no file sets it")
    if found.value & cores.online == cores.efficiency:
        return _check(_FILES, wanted, wanted, CheckStatus.OK)
    last = systemd.affinity_lines[-1]
    why = f"the last file that says so is {last.path}, line {last.line}"
    return _check(_FILES, wanted, format_cpulist(found.value & cores.online), CheckStatus.DIFFERENT, why)


def _manager(view: HostView, systemd: SystemdFacts, cores: Cores) -> HostCheck:
    wanted, live = format_cpulist(cores.efficiency), systemd.manager_live
    if live.value is None:
        why = live.why or "/proc/1/status is not there"
        return _check(_PID_1, wanted, "", CheckStatus.UNREADABLE, why)
    effective = live.value & cores.online
    if effective == cores.efficiency:
        return _check(_PID_1, wanted, wanted, CheckStatus.OK)
    if view.applied_boot == view.boot_id and not view.profile.move_running:
        return _check(_PID_1, wanted, format_cpulist(effective), CheckStatus.PENDING_REBOOT, NOT_BEFORE_BOOT)
    same_boot = view.applied_boot == view.boot_id
    why = (
        "something else set its mask since" if same_boot else "the machine was booted since, and PID 1 did not take it"
    )
    return _check(_PID_1, wanted, format_cpulist(effective), CheckStatus.DIFFERENT, why)
