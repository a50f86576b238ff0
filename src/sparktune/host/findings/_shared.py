"""What findings have in common: how a rule is made, the environments of inference, and the devices of the fabric."""

__all__ = [
    "SLOWING",
    "Environment",
    "Found",
    "SlowCores",
    "cluster_rule",
    "confined",
    "environments",
    "fabric_devices",
    "ib_devices",
    "lasting_profiles",
    "node_rule",
    "pinned_gid",
    "processes_in",
    "profiles_of",
    "rdma_behind",
    "slow_cores",
    "wants_rdma",
]

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import pairwise

from sparktune.host.cpulist import CpuSet, format_cpulist
from sparktune.host.facts.containers import Container, ContainerFacts
from sparktune.host.facts.cpu import CpuFacts
from sparktune.host.facts.netdev import NetdevFacts, NetDevice
from sparktune.host.facts.netplan import NetplanFacts, Profile
from sparktune.host.facts.processes import InferenceProcess, ProcessFacts
from sparktune.host.facts.rdma import RdmaDevice, RdmaFacts
from sparktune.host.facts.systemd import SystemdFacts
from sparktune.host.nccl_selector import parse_selector
from sparktune.model.finding import Finding, FindingRule, Severity
from sparktune.model.node import ClusterFacts, NodeFacts

# NVML's reasons for a clock that heat, or a failing supply, holds down; a power cap is a usual state under load.
SLOWING = frozenset({"hw_slowdown", "sw_thermal_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A finding before its rule and node are written on it."""

    severity: Severity
    evidence: str
    hint: str
    node: str | None = None
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """The variables that a container or a process runs with, or that a compose file gives; ``owner`` names it."""

    owner: str
    group: str
    variables: Mapping[str, str]
    file: str | None = None


def node_rule(
    name: str,
    *,
    title: str,
    why: str,
    source: str,
    judge: Callable[[NodeFacts], Iterable[Found]],
) -> FindingRule:
    """Make a rule that looks at one node at a time."""

    def run(cluster: ClusterFacts) -> tuple[Finding, ...]:
        return tuple(_written(name, found, node.node) for node in cluster.answered for found in judge(node))

    return FindingRule(id=name, title=title, why=why, source=source, run=run)


def cluster_rule(
    name: str,
    *,
    title: str,
    why: str,
    source: str,
    judge: Callable[[tuple[NodeFacts, ...]], Iterable[Found]],
) -> FindingRule:
    """Make a rule that compares nodes; ``judge`` gets those that answered."""

    def run(cluster: ClusterFacts) -> tuple[Finding, ...]:
        return tuple(_written(name, found, found.node) for found in judge(cluster.answered))

    return FindingRule(id=name, title=title, why=why, source=source, run=run)


def _written(rule: str, found: Found, node: str | None) -> Finding:
    return Finding(
        rule=rule,
        severity=found.severity,
        evidence=found.evidence,
        hint=found.hint,
        node=node,
        file=found.file,
        line=found.line,
    )


def environments(node: NodeFacts) -> tuple[Environment, ...]:
    """Return what inference runs with, each once.

    A live process counts more than its container's settings: an entry point may unset what those say.
    """
    processes = (node.get(ProcessFacts) or ProcessFacts()).processes
    containers = (node.get(ContainerFacts) or ContainerFacts()).containers
    named = {container.id: container.name for container in containers}
    inside = {process.container for process in processes if process.environment}
    found = [_of_container(container) for container in containers if container.id not in inside]
    found += [_of_process(process, named) for process in processes]
    # Workers of one engine share one environment: it is judged, and told, once.
    kept = {(one.group, frozenset(one.variables.items())): one for one in reversed(found) if one.variables}
    return tuple(reversed(kept.values()))


def _of_container(container: Container) -> Environment:
    owner = f"{'service' if container.declared_in else 'container'} {container.name}"
    return Environment(owner=owner, group=owner, variables=container.environment, file=container.declared_in)


def _of_process(process: InferenceProcess, containers: Mapping[str, str]) -> Environment:
    inside = containers.get(process.container or "")
    if inside is not None:
        owner = group = f"container {inside}"
    else:
        owner, group = f"process {process.pid} ({process.engine} {process.role})", process.engine
    return Environment(owner=owner, group=group, variables=process.environment)


def ib_devices(node: NodeFacts, environment: Environment) -> tuple[RdmaDevice, ...]:
    """Return the RDMA devices that NCCL takes: those of ``NCCL_IB_HCA``, or all whose port is ACTIVE.

    A port of which the state is not known may be ACTIVE, and counts as such.
    """
    devices = (node.get(RdmaFacts) or RdmaFacts()).devices
    wanted = environment.variables.get("NCCL_IB_HCA")
    active = tuple(device for device in devices if any(port.state.value in {"ACTIVE", None} for port in device.ports))
    if not wanted:
        return active
    selector = parse_selector(wanted)
    return tuple(device for device in active if selector.selects(device.name))


def pinned_gid(environment: Environment) -> int | None:
    """Return the GID index that is pinned; an empty value counts as 0 as NCCL reads it, a negative one as unset."""
    value = environment.variables.get("NCCL_IB_GID_INDEX")
    if value is None:
        return None
    if not value.strip():
        return 0
    try:
        index = int(value)
    except ValueError:
        return None
    return index if index >= 0 else None


def fabric_devices(node: NodeFacts) -> tuple[NetDevice, ...]:
    """Return the network devices that have an RDMA device, by name."""
    netdevs = node.get(NetdevFacts) or NetdevFacts()
    return tuple(device for device in netdevs.devices if rdma_behind(node, device.name))


def profiles_of(node: NodeFacts, netdev: str) -> tuple[Profile, ...]:
    """Return what files say of a network device, those that do not survive a restart too."""
    profiles = (node.get(NetplanFacts) or NetplanFacts()).profiles
    return tuple(one for one in profiles if one.device is not None and fnmatchcase(netdev, one.device))


def lasting_profiles(node: NodeFacts, netdev: str) -> tuple[Profile, ...] | None:
    """Return what lasting files say of a network device; None when not all of them are known, or there are none."""
    facts = node.get(NetplanFacts)
    if facts is None or facts.problems:
        return None
    lasting = [one for one in facts.profiles if one.survives]
    if not lasting or any(one.device is None or not one.complete for one in lasting):
        return None
    return tuple(one for one in profiles_of(node, netdev) if one.survives)


def rdma_behind(node: NodeFacts, netdev: str) -> RdmaDevice | None:
    """Return the RDMA device of a network device."""
    devices = (node.get(RdmaFacts) or RdmaFacts()).devices
    return next((device for device in devices if netdev in device.netdevs), None)


def wants_rdma(environment: Mapping[str, str], command: Iterable[str]) -> bool:
    """Whether a container or process is set up for RDMA to other nodes: devices are named, or several nodes counted.

    Not when sockets are asked for, which is another finding.
    """
    if environment.get("NCCL_IB_DISABLE", "") not in {"", "0"} or environment.get("NCCL_NET", "").lower() == "socket":
        return False
    if any(name in environment for name in ("NCCL_IB_HCA", "NCCL_IB_GID_INDEX", "GGML_RDMA_DEV")):
        return True
    words = " ".join(command).replace("=", " ").split()
    return any(word == "--nnodes" and other != "1" for word, other in pairwise(words))


def processes_in(node: NodeFacts, container: Container) -> tuple[InferenceProcess, ...]:
    """Return the inference processes of a container."""
    processes = (node.get(ProcessFacts) or ProcessFacts()).processes
    return tuple(one for one in processes if one.container == container.id or one.pid == container.pid)


def confined(process: InferenceProcess, cores: CpuSet) -> bool:
    """Whether every thread of a process, known to the last, may run on ``cores`` only."""
    allowed = [thread.allowed.value for thread in process.threads]
    return bool(allowed) and all(one is not None and one and one <= cores for one in allowed)


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowCores:
    """Cores that inference should not be confined to: why, in ``words``, and which it should have instead."""

    cores: CpuSet
    words: str
    instead: str


def slow_cores(node: NodeFacts) -> SlowCores | None:
    """Return the efficiency cores; where no CPU says its type, those that CPUAffinity leaves to the system.

    None when there is nothing to go by.
    """
    cpu, systemd = node.get(CpuFacts), node.get(SystemdFacts)
    if cpu is not None and cpu.split.value is not None:
        split = cpu.split.value
        return SlowCores(
            cores=split.efficiency,
            words="which are efficiency cores",
            instead=format_cpulist(split.performance),
        )
    wanted = systemd.manager_wanted.value if systemd is not None else None
    if wanted and (cpu is None or not cpu.types):
        return SlowCores(
            cores=wanted,
            words="the cores that systemd's CPUAffinity names for the system (core types are not known here)",
            instead="PERFORMANCE CORES (5-9,15-19 on a GB10)",
        )
    return None
