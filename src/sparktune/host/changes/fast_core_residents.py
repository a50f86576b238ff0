"""What is on the performance cores in the end: every thread of inference, and whatever else may still run there.

It changes nothing. Sources: proc(5), Cpus_allowed_list of status and field 39 of stat, the core that a thread ran on
last; the kernel's include/linux/sched.h, PF_NO_SETAFFINITY: its threads that nobody may move, most of them one per
CPU.
"""

__all__ = ["CHANGE"]

from collections import Counter
from collections.abc import Iterable

from sparktune.host.checks import checks_of
from sparktune.host.cpulist import format_cpulist
from sparktune.host.hazards import Inference, inference_on, is_below
from sparktune.host.placement import Cores, cores_of
from sparktune.host.slice_units import FAST
from sparktune.host.tasks import TASK_READS, LiveTask, Tasks, tasks_of
from sparktune.model.host_plan import ChangePlan, CheckStatus, HostChange, HostCheck, HostView
from sparktune.model.node import NodeFacts
from sparktune.model.profile import Mode, Profile
from sparktune.model.reads import Read
from sparktune.units import count_of

_ID = "fast-core-residents"
_check = checks_of(_ID)
_MOST_NAMED = 8
_MOST_PROCESSES = 40
_CONFINED = (
    "threads may run on efficiency cores only: start it again where it gets performance cores, unless somebody "
    "pinned them there"
)
_NOT_MOVED = "they are in no slice that was narrowed, or set their own cores"
_KERNEL = "left where the kernel placed them"


def _reads(_facts: NodeFacts, _profile: Profile) -> tuple[Read, ...]:
    return TASK_READS


def _plan(_view: HostView) -> ChangePlan:
    return ChangePlan()


def _verify(view: HostView) -> tuple[HostCheck, ...]:
    cores = cores_of(view.facts)
    if view.applied_boot is None or cores.value is None:
        return ()  # the changes that need the cores say that they are not known
    tasks = tasks_of(view.readings)
    inference = inference_on(view.facts, view.profile, tasks)
    checks = [_inference(one, cores.value) for one in inference[:_MOST_PROCESSES]]
    if len(inference) > _MOST_PROCESSES:
        more = f"{len(inference) - _MOST_PROCESSES} more processes of inference"
        checks.append(_check(more, "performance cores", "", CheckStatus.UNREADABLE, "too many to list"))
    mover = "slices" if view.profile.mode is Mode.SLICES else "manager-affinity"
    if mover in view.profile.without:
        return tuple(checks)
    return (*checks, *_others(view, tasks, {one.pid for one in inference}, cores.value))


def _inference(one: Inference, cores: Cores) -> HostCheck:
    """Judge every thread: a worker may be confined while the first thread of its process is not."""
    target, wanted = f"{one.pid} ({one.what}), {one.owner}", format_cpulist(cores.performance)
    if not one.allowed:
        return _check(target, wanted, "", CheckStatus.UNREADABLE, "its threads could not be read")
    tally = Counter(format_cpulist(cpus & cores.online) for cpus in one.allowed).most_common()
    effective = ", ".join(f"{cpus} ({count_of(times, 'thread')})" for cpus, times in tally[:_MOST_NAMED])
    confined = sum(1 for cpus in one.allowed if not cpus & cores.performance)
    if not confined:
        return _check(target, wanted, effective, CheckStatus.OK)
    return _check(target, wanted, effective, CheckStatus.DIFFERENT, f"{confined} of {len(one.allowed)} {_CONFINED}")


def _others(view: HostView, tasks: Tasks, inference: set[int], cores: Cores) -> tuple[HostCheck, ...]:
    target, wanted = "other programs on performance cores", "none"
    if not tasks.tasks or tasks.gaps:
        why = tasks.gaps or "no thread could be read"
        return (_check(target, wanted, "", CheckStatus.UNREADABLE, why),)
    there = [task for task in tasks.tasks if task.allowed & cores.performance]
    programs = [
        task for task in there if not task.kernel and task.pid not in inference and not is_below(task.cgroup, (FAST,))
    ]
    kernel = [task for task in there if task.kernel]
    checks = [_programs(view, programs, tasks, cores)] + ([_kernel(kernel, cores)] if kernel else [])
    return tuple(checks)


def _programs(view: HostView, programs: list[LiveTask], tasks: Tasks, cores: Cores) -> HostCheck:
    target, wanted = "other programs on performance cores", "none"
    if not programs:
        return _check(target, wanted, "none", CheckStatus.OK)
    names = tasks.names()
    effective = _described(programs, cores, {task.pid: names.get(task.pid, task.name) for task in programs})
    if _waits_for_boot(view):
        why = "CPUAffinity= counts from the next boot on"
        return _check(target, wanted, effective, CheckStatus.PENDING_REBOOT, why)
    return _check(target, wanted, effective, CheckStatus.DIFFERENT, _NOT_MOVED)


def _waits_for_boot(view: HostView) -> bool:
    classic = view.profile.mode is Mode.CLASSIC and not view.profile.move_running
    return classic and view.applied_boot == view.boot_id


def _kernel(kernel: list[LiveTask], cores: Cores) -> HostCheck:
    free = [task for task in kernel if not task.fixed]
    fixed = len(kernel) - len(free)
    effective = f"{count_of(fixed, 'thread')} that nobody may move, most of them one per core"
    if free:
        effective += f"; not moved: {_described(free, cores, {task.pid: task.name for task in free})}"
    return _check("threads of the kernel on performance cores", _KERNEL, effective, CheckStatus.OK)


def _described(tasks: Iterable[LiveTask], cores: Cores, names: dict[int, str]) -> str:
    """Count threads, those that ran there last, and name the programs with most of them."""
    listed = list(tasks)
    recent = Counter(names[task.pid] for task in listed if task.last_core in cores.performance)
    by_name = Counter(names[task.pid] for task in listed).most_common()
    by_name.sort(key=lambda item: (-recent[item[0]], -item[1], item[0]))
    named = ", ".join(
        f"{name} ({count_of(threads, 'thread')}{f', {recent[name]} ran there last' if recent[name] else ''})"
        for name, threads in by_name[:_MOST_NAMED]
    )
    more = len(by_name) - _MOST_NAMED
    total = f"{count_of(len(listed), 'thread')}, {recent.total()} ran there last"
    return f"{total}: {named}" + (f" and {more} more names" if more > 0 else "")


CHANGE = HostChange(
    id=_ID,
    title="What is on the performance cores",
    does="lists, when verifying, where every thread of inference may run and what else may run on performance cores",
    does_not="move anything",
    effect="none measured: it only looks",
    source="proc(5), status and stat",
    order=950,
    plan=_plan,
    verify=_verify,
    reads=_reads,
)
