"""``CPUAffinity=`` of the manager, inherited by everything that systemd starts.

Sources: systemd-system.conf(5), CPUAffinity= (lines add up, an empty one clears those before it); systemd's
core/main.c: PID 1 applies it to itself at boot and at every daemon-reload; sched_setaffinity(2): children inherit it;
https://github.com/opencontainers/runc issues 4814 and 4858 for what containers inherit.
"""

__all__ = ["CHANGE"]

from sparktune.host.affinity_checks import check_manager
from sparktune.host.affinity_hazards import refusals_of
from sparktune.host.changes._shared import cores_unknown, diff_of
from sparktune.host.cpulist import CpuSet, format_cpulist, parse_cpulist
from sparktune.host.facts.systemd import AffinityLine, SystemdFacts
from sparktune.host.hazards import in_container, inference_on
from sparktune.host.manager_mask import MANAGER_FILE, NOT_BEFORE_BOOT
from sparktune.host.other_mode import mode_reads, mode_refusals
from sparktune.host.placement import Cores, cores_of
from sparktune.host.tasks import TASK_READS, LiveTask, Tasks, tasks_of
from sparktune.model.host_plan import ChangePlan, HostChange, HostView, PlannedStep, Refusal, TakesEffect
from sparktune.model.node import NodeFacts
from sparktune.model.observed import State
from sparktune.model.profile import Mode, Profile
from sparktune.model.reads import Read
from sparktune.model.step import AffinityStep, FileStep, Task
from sparktune.units import count_of

_ID = "manager-affinity"
_WITHOUT = "--without manager-affinity"
_NAME = MANAGER_FILE.rpartition("/")[2]
_INHERITED = (
    "everything that systemd starts inherits it, sshd with its shells too: a server started from one needs taskset "
    "or a cpuset to get performance cores"
)
_NOT_COVERED = "not covered: threads of the kernel, interrupts, and whatever sets its own affinity"
_LATER_TASKS = "what starts while threads are moved may keep the old mask: verify lists it"


def _reads(facts: NodeFacts, profile: Profile) -> tuple[Read, ...]:
    if facts.get(SystemdFacts) is None:
        return ()
    ours = mode_reads((MANAGER_FILE,))
    return (*ours, *TASK_READS) if profile.mode is Mode.CLASSIC else ours


def _plan(view: HostView) -> ChangePlan:
    if view.profile.mode is not Mode.CLASSIC:
        return ChangePlan(refusals=mode_refusals(_ID, view, Mode.CLASSIC, (MANAGER_FILE,)))
    systemd, cores = view.facts.get(SystemdFacts), cores_of(view.facts)
    if systemd is None or cores.value is None:
        why = cores.why if systemd is not None else "systemd did not answer"
        return ChangePlan(refusals=(cores_unknown(_ID, why, _WITHOUT),))
    spoiled = _spoiled(systemd, cores.value)
    tasks = tasks_of(view.readings)
    files = _file_step(view, systemd, cores.value)
    moves = _move_step(view, cores.value, tasks) if files or view.profile.move_running else ()
    if not files and not moves:
        return ChangePlan(refusals=spoiled, notes=_waiting(systemd, cores.value))
    hazards, notes = refusals_of(_ID, view, cores.value, tasks)
    said = (_INHERITED, _NOT_COVERED, *(_overruled(systemd) if files else ()), *notes)
    when = (_LATER_TASKS,) if view.profile.move_running and moves else (NOT_BEFORE_BOOT,)
    return ChangePlan(steps=(*files, *moves), refusals=(*spoiled, *hazards), notes=(*when, *said))


def _spoiled(systemd: SystemdFacts, cores: Cores) -> tuple[Refusal, ...]:
    """Refuse where other files decide what the manager gets."""
    if systemd.manager_wanted.state is State.UNREADABLE:
        reason = f"what CPUAffinity= comes to is not known: {systemd.manager_wanted.why}"
        return (Refusal(change=_ID, reason=reason, hint=f"ask as root, correct that file, or {_WITHOUT}"),)
    later = [line for line in systemd.affinity_lines if _is_later(line)]
    if _with_ours(later, cores) == cores.efficiency:
        return ()
    reason = f"{later[-1].path} is read after the drop-in of this change and changes it: CPUAffinity={later[-1].value}"
    return (Refusal(change=_ID, reason=reason, hint=f"take that line away, or {_WITHOUT}"),)


def _with_ours(later: list[AffinityLine], cores: Cores) -> CpuSet:
    """Return what the manager gets from our line and those after it, of which systemd's facts say they are lists."""
    cpus = cores.efficiency
    for line in later:
        cpus = cpus | parse_cpulist(line.value) if line.value else frozenset()
    return cpus & cores.online


def _is_later(line: AffinityLine) -> bool:
    folder, _, name = line.path.rpartition("/")
    return folder.endswith("/system.conf.d") and name > _NAME


def _file_step(view: HostView, systemd: SystemdFacts, cores: Cores) -> tuple[PlannedStep, ...]:
    wanted = systemd.manager_wanted
    file = view.readings.file(MANAGER_FILE)
    right = wanted.value is not None and wanted.value & cores.online == cores.efficiency
    if right or State.UNREADABLE in {wanted.state, file.state}:
        return ()
    cpus = format_cpulist(cores.efficiency)
    text = f"# Written by sparktune host apply\n[Manager]\nCPUAffinity=\nCPUAffinity={cpus.replace(',', ' ')}\n"
    before = "no CPUAffinity=" if wanted.value is None else f"CPUAffinity= is {format_cpulist(wanted.value)}"
    return (
        PlannedStep(
            change=_ID,
            target=MANAGER_FILE,
            before=before,
            after=f"CPUAffinity={cpus}",
            takes_effect=TakesEffect.REBOOT,
            step=FileStep(path=MANAGER_FILE, text=text, expect={MANAGER_FILE: file.value}),
            diff=diff_of(MANAGER_FILE, file.value, text),
        ),
    )


def _move_step(view: HostView, cores: Cores, tasks: Tasks) -> tuple[PlannedStep, ...]:
    """Move PID 1, and if wanted what else has the mask of a fresh boot; whoever set a mask meant it.

    PID 1 would move by itself at the next daemon-reload, and nothing would move it back: as a step it is undone, too.
    """
    kept = {one.pid for one in inference_on(view.facts, view.profile, tasks)}
    meant = [task for task in tasks.tasks if task.pid == 1 or view.profile.move_running]
    moving = [task for task in meant if task.pid not in kept and _is_movable(task, cores)]
    if not moving:
        return ()
    processes = len({task.pid for task in moving})
    first = [task for task in moving if task.pid == 1]
    return (
        PlannedStep(
            change=_ID,
            target=f"{count_of(len(moving), 'thread')} in {processes} {'process' if processes == 1 else 'processes'}"
            if view.profile.move_running
            else "PID 1, which passes it on to what it starts",
            before=format_cpulist(cores.online),
            after=format_cpulist(cores.efficiency),
            takes_effect=TakesEffect.LIVE,
            step=AffinityStep(
                tasks=tuple(Task(pid=task.pid, tid=task.tid, start_time=task.start_time) for task in moving),
                cpus=tuple(sorted(cores.efficiency)),
                # Others may end before the plan is carried out; PID 1 stays what it was.
                expect={f"{task.pid}/{task.tid}/{task.start_time}": format_cpulist(task.allowed) for task in first},
            ),
        ),
    )


def _is_movable(task: LiveTask, cores: Cores) -> bool:
    return not (task.kernel or task.fixed or in_container(task.cgroup)) and task.allowed >= cores.online


def _overruled(systemd: SystemdFacts) -> tuple[str, ...]:
    """Say which lines of others stop counting; their files stay as they are."""
    others = [
        line for line in systemd.affinity_lines if line.path != MANAGER_FILE and line.value and not _is_later(line)
    ]
    return tuple(
        f"{line.path} sets CPUAffinity={line.value}: it stays, and no longer counts from the next boot on"
        for line in others
    )


def _waiting(systemd: SystemdFacts, cores: Cores) -> tuple[str, ...]:
    live = systemd.manager_live.value
    granted = systemd.slice_cpus("init.scope").effective.value or cores.online
    if live is None or live & cores.online == (cores.efficiency & granted or granted):
        return ()
    return (f"files set CPUAffinity= already, PID 1 still has {format_cpulist(live)}: {NOT_BEFORE_BOOT}",)


CHANGE = HostChange(
    id=_ID,
    title="CPUAffinity= of systemd",
    does="lets PID 1 and everything that it starts from now on use the efficiency cores only; what runs already from "
    "the next boot on, or with --move-running now",
    does_not="move threads of the kernel, interrupts, inference, containers, or a program that set its own cores",
    effect="none measured",
    source="systemd-system.conf(5); systemd's core/main.c",
    order=210,
    plan=_plan,
    verify=check_manager,
    reads=_reads,
)
