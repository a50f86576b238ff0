"""The CPUs that irqbalance keeps off: what its file asks for, what that comes to, and with what it runs.

Sources: irqbalance's cputree.c (setup_banned_cpus) at its tags 1.7.0 to 1.9.5: IRQBALANCE_BANNED_CPULIST is known since
1.8.0 (Debian 12 has 1.9.2) and replaces the isolated and nohz_full CPUs, which it keeps off by itself otherwise;
IRQBALANCE_BANNED_CPUS, a mask and deprecated, wins over it, though it is logged to be discarded. bitmap.c: a list with
spaces in it is invalid, and then no CPU is kept off. irqbalance.service of the packages reads /etc/default/irqbalance.
"""

__all__ = ["BANNED_LIST", "BANNED_MASK", "DAEMON_READS", "SETTINGS", "asked", "in_force", "running", "with_banned"]

import re

from sparktune.formats.systemd_env import set_variable, variable
from sparktune.host.cpulist import CpuSet, format_cpulist, parse_cpulist, parse_mask
from sparktune.host.facts.cpu import CpuFacts
from sparktune.model.node import NodeFacts
from sparktune.model.observed import Observed, absent
from sparktune.model.reads import Read, ReadFile, ReadFiles, Readings

SETTINGS = "/etc/default/irqbalance"
BANNED_LIST = "IRQBALANCE_BANNED_CPULIST"
BANNED_MASK = "IRQBALANCE_BANNED_CPUS"
_COMM = "/proc/[0-9]*/comm"
_ENVIRON = "/proc/[0-9]*/environ"
_VALID = re.compile(r"\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*", re.ASCII)

DAEMON_READS: tuple[Read, ...] = (
    ReadFile(path=SETTINGS),
    ReadFiles(pattern=_COMM),
    ReadFiles(pattern=_ENVIRON, lines=("IRQBALANCE_BANNED_",)),
)


def asked(text: str, facts: NodeFacts) -> CpuSet:
    """Return the CPUs that settings name, also where irqbalance would not understand them. Raises ValueError."""
    mask, listed = _value(text, BANNED_MASK), _value(text, BANNED_LIST)
    if mask:
        return parse_mask(mask)
    return parse_cpulist(listed) if listed else _by_itself(facts)


def in_force(text: str, facts: NodeFacts) -> CpuSet:
    """Return the CPUs that irqbalance keeps off with these settings. Raises ValueError."""
    listed = _value(text, BANNED_LIST)
    if listed and not _value(text, BANNED_MASK) and _VALID.fullmatch(listed) is None:
        return frozenset()
    return asked(text, facts)


def with_banned(text: str, cpus: CpuSet) -> str:
    """Return settings that name these CPUs; every other line stays. Raises ValueError."""
    return set_variable(text, BANNED_LIST, format_cpulist(cpus))


def running(readings: Readings, facts: NodeFacts) -> Observed[CpuSet]:
    """Return the CPUs that the running irqbalance keeps off, by its environment; ABSENT where it is not seen."""
    for path, name in readings.matching(_COMM).items():
        if (name.value or "").strip() == "irqbalance":
            environ = readings.matching(_ENVIRON).get(path.removesuffix("comm") + "environ", absent())
            return environ.map(lambda text: in_force(text.replace("\0", "\n"), facts))
    return absent()


def _value(text: str, name: str) -> str:
    return (variable(text, name) or "").strip()


def _by_itself(facts: NodeFacts) -> CpuSet:
    cpu = facts.get(CpuFacts)
    kept = (cpu.isolated.value, cpu.nohz_full.value) if cpu is not None else ()
    return frozenset().union(*(cpus for cpus in kept if cpus))
