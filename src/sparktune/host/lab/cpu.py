"""The CPUs of a GB10 as sysfs shows them: two types, five capacities, two clusters that mix the types, no SMT.

Source: the sysfs tree of a DGX Spark in open-mpi/hwloc (tests/hwloc/linux, nvidia-dgx-gb10), kernel 6.17, boost off.
"""

__all__ = ["EFFICIENCY", "cpu_tree"]

from dataclasses import dataclass
from typing import Final

from sparktune.host.lab.tree import NodeTree

EFFICIENCY = (*range(5), *range(10, 15))
_CPUS: Final = range(20)
_ROOT: Final = "/sys/devices/system/cpu"
_LAST: Final = 19


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    midr: str
    part: str
    lowest_khz: int
    highest_khz: int
    l2: str


_X925: Final = _Kind(midr="0x00000000410fd851", part="0xd85", lowest_khz=1_378_000, highest_khz=3_900_000, l2="2048K")
_A725: Final = _Kind(midr="0x00000000410fd871", part="0xd87", lowest_khz=338_000, highest_khz=2_808_000, l2="512K")


def cpu_tree() -> NodeTree:
    """Return what is read of 20 CPUs."""
    files = {
        f"{_ROOT}/possible": "0-19\n",
        f"{_ROOT}/online": "0-19\n",
        f"{_ROOT}/isolated": "\n",
        f"{_ROOT}/nohz_full": "(null)\n",
        f"{_ROOT}/smt/active": "0\n",
        f"{_ROOT}/smt/control": "notsupported\n",
        "/sys/devices/soc0/soc_id": "jep106:0426:8901\n",
        "/proc/cpuinfo": "".join(_cpuinfo(cpu) for cpu in _CPUS),
    }
    for cpu in _CPUS:
        files.update({f"{_ROOT}/cpu{cpu}/{name}": f"{value}\n" for name, value in _values(cpu).items()})
    return NodeTree(files=files)


def _kind(cpu: int) -> _Kind:
    return _A725 if cpu in EFFICIENCY else _X925


def _capacity(cpu: int) -> int:
    if cpu == _LAST:
        return 1024
    second = cpu >= len(EFFICIENCY)
    return (731 if second else 718) if cpu in EFFICIENCY else (1017 if second else 997)


def _values(cpu: int) -> dict[str, object]:
    kind = _kind(cpu)
    cluster = "0-9" if cpu < len(EFFICIENCY) else "10-19"
    values: dict[str, object] = {
        "cpu_capacity": _capacity(cpu),
        "regs/identification/midr_el1": kind.midr,
        "topology/thread_siblings_list": cpu,
        "topology/cluster_cpus_list": cluster,
        "cache/index3/level": 3,
        "cache/index3/shared_cpu_list": cluster,
        "cache/index3/size": "8192K" if cluster == "0-9" else "16384K",
        "cache/index2/level": 2,
        "cache/index2/shared_cpu_list": cpu,
        "cache/index2/size": kind.l2,
    }
    frequency = {
        "scaling_driver": "cppc_cpufreq",
        "scaling_governor": "performance",
        "auto_select": 1,
        "boost": 0,
        "scaling_min_freq": kind.lowest_khz,
        "scaling_max_freq": kind.highest_khz,
        "cpuinfo_min_freq": kind.lowest_khz,
        "cpuinfo_max_freq": kind.highest_khz,
    }
    return values | {f"cpufreq/{name}": value for name, value in frequency.items()}


def _cpuinfo(cpu: int) -> str:
    return f"processor\t: {cpu}\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: {_kind(cpu).part}\n\n"
