"""Which cores the threads of one part may use, and which its file gives it."""

__all__ = ["CoreUse", "core_use"]

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sparktune.host.cpulist import CpuSet, format_cpulist, parse_cpulist
from sparktune.host.facts.containers import Container, ContainerFacts
from sparktune.host.facts.cpu import CpuFacts
from sparktune.host.facts.processes import InferenceProcess, InferenceThread, ProcessFacts
from sparktune.model.drift import DriftView, PartSeen
from sparktune.model.node import NodeFacts
from sparktune.model.observed import State

_KEYS: Final = ("key.cpuset", "key.AllowedCPUs", "key.CPUAffinity")
_MOST_NAMED: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreUse:
    """``union`` are the cores of all ``threads`` together; ``why`` says that they are not all known, "" when they are.

    ``wanted`` is what the file gives (``place`` says where), None where it gives none. ``cpuset`` is what Docker has of
    the container, "" for none, and ``owner`` its node and name. ``outside`` and ``narrowed`` say in words that a thread
    may use more than the file gives, and that every thread has the same smaller mask than its control group.
    """

    part: PartSeen
    threads: int
    union: CpuSet
    wanted: CpuSet | None = None
    place: str = ""
    cpuset: str = ""
    owner: str = ""
    online: CpuSet = frozenset()
    outside: str = ""
    narrowed: str = ""
    why: str = ""


def core_use(view: DriftView, part: PartSeen) -> CoreUse | None:
    """Return what is known of a part's threads; None where nothing of its node or its processes is."""
    node = next((one for one in view.nodes if one.node == part.node and not one.failure), None)
    if node is None:
        return None
    container = _container(node, part)
    processes = _processes(node, part)
    if not processes:
        return None
    cpu = node.get(CpuFacts)
    online = (cpu.online.value if cpu is not None else None) or frozenset[int]()
    wanted, place = _wanted(part)
    # One that has no mask ended while it was read.
    every = [thread for process in processes for thread in process.threads]
    threads = [thread for thread in every if thread.allowed.state is not State.ABSENT]
    known = [thread.allowed.value for thread in threads if thread.allowed.value]
    meant = wanted & online if wanted is not None and online else wanted
    return CoreUse(
        part=part,
        threads=len(threads),
        union=frozenset[int]().union(*known),
        wanted=meant,
        place=place,
        cpuset=container.cpuset if container is not None else "",
        owner=f"{node.node} {container.name}" if container is not None else "",
        online=online,
        outside=_outside(threads, meant),
        narrowed=_narrowed(processes, known, meant),
        why="" if known and len(known) == len(threads) else "not every thread could be read",
    )


def _processes(node: NodeFacts, part: PartSeen) -> list[InferenceProcess]:
    return [
        one
        for one in (node.get(ProcessFacts) or ProcessFacts()).processes
        if one.pid in {part.pid, *part.pids} or (part.container and one.container == part.container)
    ]


def _container(node: NodeFacts, part: PartSeen) -> Container | None:
    containers = (node.get(ContainerFacts) or ContainerFacts()).containers
    return next((one for one in containers if part.container and one.id == part.container), None)


def _wanted(part: PartSeen) -> tuple[CpuSet | None, str]:
    for key in _KEYS:
        setting = part.file.get(key)
        if setting is None or setting.value in {None, ""}:
            continue
        words = setting.value if isinstance(setting.value, tuple) else (setting.value,)
        try:
            return parse_cpulist(",".join(",".join(map(str, words)).split())), setting.origin.place
        except ValueError:
            continue
    return None, ""


def _outside(threads: Sequence[InferenceThread], wanted: CpuSet | None) -> str:
    found = [one for one in threads if wanted is not None and one.allowed.value and not one.allowed.value <= wanted]
    named = [
        f"thread {one.tid} ({one.name}) may use {format_cpulist(one.allowed.value or frozenset())}" for one in found
    ]
    more = len(named) - _MOST_NAMED
    return ", ".join(named[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _narrowed(processes: Sequence[InferenceProcess], known: Sequence[CpuSet], wanted: CpuSet | None) -> str:
    """Say that all threads have one mask that is smaller than what their control group leaves them."""
    groups = {one.cpuset.value for one in processes}
    group = next(iter(groups)) if len(groups) == 1 else None
    if not group or len(set(known)) != 1 or not known[0] < group or known[0] == wanted:
        return ""
    return (
        f"every thread may use {format_cpulist(known[0])} only, though its control group has {format_cpulist(group)}: "
        "that mask was inherited, or set on the running process by hand"
    )
