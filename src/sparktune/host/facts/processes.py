"""Inference processes and their threads: who they are, which cores they may use, what confines them.

Source: Linux ``proc(5)`` (stat, status, cgroup, limits), ``Documentation/admin-guide/cgroup-v2.rst`` (cpuset).
"""

__all__ = ["SOURCE", "InferenceProcess", "InferenceThread", "ProcessFacts"]

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sparktune.engines import Role, role_of
from sparktune.host.cpulist import CpuSet, parse_cpulist
from sparktune.host.environment import KEPT_PREFIXES, kept_environment
from sparktune.host.facts._shared import bounded_int, shorten
from sparktune.model.node import FactSource
from sparktune.model.observed import Observed, absent
from sparktune.model.reads import ReadFiles, Readings, ReadLinks
from sparktune.redact import redact_argv
from sparktune.units import Bytes, Seconds

_TASK_STAT = "/proc/[0-9]*/task/*/stat"
_TASK_STATUS = "/proc/[0-9]*/task/*/status"
_CMDLINE = "/proc/[0-9]*/cmdline"
_ENVIRON = "/proc/[0-9]*/environ"
_CGROUP = "/proc/[0-9]*/cgroup"
_LIMITS = "/proc/[0-9]*/limits"
_EXE = "/proc/[0-9]*/exe"
_CGROUPS = "/sys/fs/cgroup"
_EFFECTIVE = "cpuset.cpus.effective"
_DEEPEST_CGROUP = 7  # a user's service of a desktop session lies six deep
_CPUSETS = tuple(f"{_CGROUPS}/{'*/' * depth}{_EFFECTIVE}" for depth in range(_DEEPEST_CGROUP))

_TASK = re.compile(r"/proc/(?P<pid>\d{1,10})/task/(?P<tid>\d{1,10})/(?P<leaf>\w+)", re.ASCII)
_MEMLOCK = re.compile(r"Max locked memory\s+(?P<soft>\d{1,20}|unlimited)\s", re.ASCII)
_CONTAINER = re.compile(r"(?:^|[/:-])(?P<id>[0-9a-f]{64})(?:\.scope)?(?:/|$)")
_UNIT = re.compile(r"[^/]+\.(?:service|scope)")
_TICKS_PER_S = 100  # USER_HZ, fixed in Linux's interface on every machine
# Fields of /proc/PID/stat, counted from the state, which follows the name in parentheses
_STATE, _STARTED, _LAST_CORE = 0, 19, 36


@dataclass(frozen=True, slots=True, kw_only=True)
class InferenceThread:
    """One thread: its name, its state letter, the cores that it may use and the core that it ran on last."""

    tid: int
    name: str
    state: Observed[str]
    allowed: Observed[frozenset[int]]
    last_core: Observed[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class InferenceProcess:
    """One process of an engine.

    ``engine`` is vllm, sglang, llamacpp, ollama ...; ``role`` what it does in it (api-server, engine-core, worker,
    rpc-server ...). ``command`` has its secrets removed. ``started_s`` counts from the start of the machine.
    ``container`` is the id of its container, ``unit`` the systemd unit; both None for neither or unknown.
    ``cpuset`` are the cores that its control group leaves it. ``memlock_bytes`` is the soft limit, ABSENT with
    ``unlimited_memlock`` when there is none. ``environment`` holds only variables of NCCL, Gloo, UCX and their like.
    """

    pid: int
    engine: str
    role: str
    name: str
    command: tuple[str, ...] = ()
    started_s: Observed[Seconds] = absent()
    cgroup: Observed[str] = absent()
    container: str | None = None
    unit: str | None = None
    cpuset: Observed[frozenset[int]] = absent()
    memlock_bytes: Observed[Bytes] = absent()
    unlimited_memlock: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)
    threads: tuple[InferenceThread, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessFacts:
    """All inference processes of a node, by pid."""

    processes: tuple[InferenceProcess, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    """The texts of one thread."""

    stat: Observed[str] = absent()
    status: Observed[str] = absent()

    @property
    def name(self) -> str:
        found = re.search(r"^Name:[\t ]*(.+)$", self.status.value or "", re.MULTILINE)
        if found:
            return found[1].strip()
        text = self.stat.value or ""
        return text[text.find("(") + 1 : text.rfind(")")] if "(" in text else ""


def _parse(readings: Readings) -> ProcessFacts:
    found = []
    for pid, tasks in sorted(_tasks(readings).items()):
        argv = _argv(readings.matching(_CMDLINE).get(f"/proc/{pid}/cmdline", absent()))
        main = tasks.get(pid) or next(iter(tasks.values()))
        role = role_of(main.name, argv, readings.links.get(_EXE, {}).get(f"/proc/{pid}/exe", ""))
        if role is not None:
            found.append(_process(pid, role, argv, tasks, readings))
    return ProcessFacts(processes=tuple(found))


def _tasks(readings: Readings) -> dict[int, dict[int, _Task]]:
    texts: dict[tuple[int, int], dict[str, Observed[str]]] = {}
    for pattern in (_TASK_STAT, _TASK_STATUS):
        for path, text in readings.matching(pattern).items():
            match = _TASK.fullmatch(path)
            if match:
                texts.setdefault((int(match["pid"]), int(match["tid"])), {})[match["leaf"]] = text
    processes: dict[int, dict[int, _Task]] = {}
    for (pid, tid), leaves in sorted(texts.items()):
        task = _Task(stat=leaves.get("stat", absent()), status=leaves.get("status", absent()))
        processes.setdefault(pid, {})[tid] = task
    return processes


def _process(
    pid: int, role: Role, argv: tuple[str, ...], tasks: Mapping[int, _Task], readings: Readings
) -> InferenceProcess:
    def text(pattern: str) -> Observed[str]:
        return readings.matching(pattern).get(pattern.replace("[0-9]*", str(pid)), absent())

    main = tasks.get(pid) or next(iter(tasks.values()))
    cgroup = text(_CGROUP).map(_unified)
    container = _CONTAINER.search(cgroup.value or "")
    units = _UNIT.findall(cgroup.value or "")
    soft = text(_LIMITS).map(_soft_memlock)
    return InferenceProcess(
        pid=pid,
        engine=role.engine,
        role=role.role,
        name=main.name,
        command=redact_argv(argv),
        started_s=main.stat.map(lambda stat: bounded_int(_field(stat, _STARTED)) / _TICKS_PER_S),
        cgroup=cgroup,
        container=container["id"] if container else None,
        unit=units[-1] if units and not container else None,
        cpuset=_cpuset(cgroup, readings),
        memlock_bytes=absent() if soft.value == "unlimited" else soft.map(bounded_int),
        unlimited_memlock=soft.value == "unlimited",
        environment=kept_environment(_environment(text(_ENVIRON))),
        threads=tuple(_thread(tid, task) for tid, task in tasks.items()),
    )


def _thread(tid: int, task: _Task) -> InferenceThread:
    return InferenceThread(
        tid=tid,
        name=task.name,
        state=task.stat.map(lambda stat: _field(stat, _STATE)),
        allowed=task.status.map(_allowed),
        last_core=task.stat.map(lambda stat: bounded_int(_field(stat, _LAST_CORE))),
    )


def _argv(text: Observed[str]) -> tuple[str, ...]:
    """Return the words of a command line; a process that wrote a title over it has one word, or spaces between."""
    words = tuple((text.value or "").rstrip("\0\n").split("\0"))
    return () if words == ("",) else words


def _environment(text: Observed[str]) -> dict[str, str]:
    pairs = (entry.partition("=") for entry in (text.value or "").split("\0"))
    return {name: value for name, sign, value in pairs if sign}


def _field(stat: str, place: int) -> str:
    fields = stat[stat.rfind(")") + 1 :].split()
    if ")" not in stat or place >= len(fields):
        message = f"no process state: {shorten(stat)!r}"
        raise ValueError(message)
    return fields[place]


def _allowed(status: str) -> CpuSet:
    found = re.search(r"^Cpus_allowed_list:[\t ]*(\S+)", status, re.MULTILINE)
    if found is None:
        message = "no Cpus_allowed_list in it"
        raise ValueError(message)
    return parse_cpulist(found[1])


def _unified(text: str) -> str:
    """Return the path in the version 2 hierarchy."""
    for line in text.splitlines():
        if line.startswith("0::"):
            return line[3:]
    message = "no group of cgroup version 2"
    raise ValueError(message)


def _soft_memlock(limits: str) -> str:
    found = _MEMLOCK.search(limits + " ")
    if found is None:
        message = "no limit of locked memory in it"
        raise ValueError(message)
    return found["soft"]


def _cpuset(cgroup: Observed[str], readings: Readings) -> Observed[CpuSet]:
    """Return the cores that the nearest group with a cpuset leaves: groups without one have that of their parent."""
    if cgroup.value is None:
        return Observed(cgroup.state, None, cgroup.why)
    for path in _upward(cgroup.value):
        for pattern in _CPUSETS:
            text = readings.matching(pattern).get(f"{_CGROUPS}{path}/{_EFFECTIVE}")
            if text is not None:
                return text.map(parse_cpulist)
    return absent()


def _upward(path: str) -> Iterator[str]:
    """Yield the group and its parents, the root as the empty text."""
    current = path.rstrip("/")
    while current:
        yield current
        current = current.rpartition("/")[0]
    yield ""


SOURCE = FactSource(
    name="processes",
    kind=ProcessFacts,
    reads=(
        ReadFiles(pattern=_TASK_STAT),
        ReadFiles(pattern=_TASK_STATUS, lines=("Name:", "Cpus_allowed_list:")),
        ReadFiles(pattern=_CMDLINE),
        ReadFiles(pattern=_ENVIRON, lines=KEPT_PREFIXES),
        ReadFiles(pattern=_CGROUP, lines=("0::",)),
        ReadFiles(pattern=_LIMITS, lines=("Max locked memory",)),
        ReadLinks(pattern=_EXE),
        *(ReadFiles(pattern=pattern) for pattern in _CPUSETS),
    ),
    parse=_parse,
)
