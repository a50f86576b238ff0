"""What a kernel setting does and does not do, and which values would harm the machine.

Source: Documentation/admin-guide/sysctl/{vm,kernel,fs,net}.rst for meanings and ranges; sysctl.d(5) for names.
"""

__all__ = ["comment_of", "cuts_off", "in_other_unit", "same_value", "warning_of", "wrong_name", "wrong_with"]

import re
from collections.abc import Mapping
from types import MappingProxyType

from sparktune.units import Bytes, format_bytes

_KEY = re.compile(r"(?:vm|kernel|fs|net|dev|user)(?:\.[A-Za-z0-9_-]+)+", re.ASCII)
_VALUE = re.compile(r"[A-Za-z0-9_.:,+ -]{1,200}", re.ASCII)
_NUMBER = re.compile(r"-?\d{1,19}", re.ASCII)
_LONGEST_KEY = 200
_KIB: Bytes = 1024
_MIN_FREE = "vm.min_free_kbytes"
_LEAST_MIN_FREE_KIB = 1024  # below, the kernel's own emergency allocations fail (vm.rst)
_MOST_MIN_FREE_SHARE = 0.05
_SUGGESTED_PRESSURE = 100

_ACTION = "it is an action, not a setting: nothing could be put back, and at boot it does nothing"
_ONE_WAY = "the kernel takes it back only with a reboot, so it could not be undone"
_RUNS_PROGRAMS = "it names a program that the kernel runs as root"
_NEVER = {
    "vm.drop_caches": _ACTION,
    "vm.compact_memory": _ACTION,
    "vm.stat_refresh": _ACTION,
    "vm.nr_hugepages": "it takes memory away at once, that of models too; where an engine needs it, set it at boot",
    "kernel.sysrq": "it opens or closes the emergency keys, which has nothing to do with inference",
    "kernel.core_pattern": _RUNS_PROGRAMS,
    "kernel.modprobe": _RUNS_PROGRAMS,
    "kernel.hotplug": _RUNS_PROGRAMS,
    "kernel.modules_disabled": _ONE_WAY,
    "kernel.kexec_load_disabled": _ONE_WAY,
    "kernel.hostname": "it renames the machine",
    "kernel.domainname": "it renames the machine",
}
_NEVER_BELOW = {
    "kernel.random.": "it is no setting of this kind",
    "kernel.usermodehelper.": _RUNS_PROGRAMS,
    "fs.binfmt_misc.": _RUNS_PROGRAMS,
}
_NEVER_ENDING = {".flush": _ACTION}
# One of each pair is in force, and the other reads 0, which cannot be written back.
_PAIRS = (
    ("vm.dirty_ratio", "vm.dirty_bytes"),
    ("vm.dirty_background_ratio", "vm.dirty_background_bytes"),
    ("vm.overcommit_ratio", "vm.overcommit_kbytes"),
)
# A wrong value of these can cost the way to the machine; buffers and the tuning of TCP and UDP cannot.
_HARMLESS_NET = ("net.core.", "net.ipv4.tcp_", "net.ipv4.udp_")

_RANGES: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "vm.swappiness": (0, 200),
        "vm.vfs_cache_pressure": (1, 10_000),
        "vm.dirty_ratio": (1, 100),
        "vm.dirty_background_ratio": (0, 100),
        "vm.overcommit_memory": (0, 2),
        "vm.zone_reclaim_mode": (0, 7),
        "vm.max_map_count": (65_530, 2_147_483_647),
        "vm.page-cluster": (0, 10),
        "vm.watermark_scale_factor": (1, 3000),
        "kernel.numa_balancing": (0, 3),
    }
)
_COMMENTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "vm.swappiness": (
            "How dear paging out a process's memory is beside dropping file pages, 0 to 200 (default 60). A low",
            "value makes the kernel drop file pages first. It does not mean that swap is used only at the very end,",
            "and memory of CUDA is never swapped, whatever stands here. Expected effect: none measured.",
        ),
        "vm.vfs_cache_pressure": (
            "How readily the kernel gives up its caches of directory entries and inodes (default 100). It touches no",
            "page of a file's content, and these caches are small on a machine that serves models. The kernel's own",
            "documentation warns of values far above 100. Expected effect: none measured.",
        ),
        _MIN_FREE: (
            "What the kernel keeps free in KiB, so that allocations which cannot wait succeed. All else has that much",
            "less memory, and it does not stop a model from taking the rest. Expected effect: none measured.",
        ),
        "vm.dirty_ratio": (
            "From which share of free memory (percent) a writer has to write its own pages out. It bounds bursts of",
            "writing, not reading of models. Expected effect: none measured.",
        ),
        "vm.dirty_background_ratio": (
            "From which share of free memory (percent) the kernel begins to write in the background.",
            "Expected effect: none measured.",
        ),
        "vm.max_map_count": (
            "How many areas of memory one process may map. Engines that need more fail, others notice nothing.",
        ),
    }
)


def wrong_name(key: str) -> str:
    """Say why a key is never set; empty for one that may be."""
    if _KEY.fullmatch(key) is None or len(key) > _LONGEST_KEY:
        return "it is no name of a kernel setting in dots (vm.swappiness)"
    reason = _NEVER.get(key, "")
    reason = reason or next((why for start, why in _NEVER_BELOW.items() if key.startswith(start)), "")
    return reason or next((why for end, why in _NEVER_ENDING.items() if key.endswith(end)), "")


def wrong_with(key: str, value: str, total: Bytes | None, available: Bytes | None) -> str:
    """Say why a key may not get this value; empty when it may. ``total`` and ``available`` memory as far as known."""
    reason = wrong_name(key)
    if reason:
        return reason
    if _VALUE.fullmatch(value) is None or not value.strip():
        return f"{value[:40]!r} is no value of a kernel setting"
    if key == _MIN_FREE:
        return _wrong_min_free(value, total, available)
    return _out_of_range(key, value)


def _out_of_range(key: str, value: str) -> str:
    if key not in _RANGES:
        return ""
    least, most = _RANGES[key]
    if _NUMBER.fullmatch(value.strip()) and least <= int(value) <= most:
        return ""
    if key == "vm.vfs_cache_pressure" and value.strip() == "0":
        return "with 0 the kernel never gives these caches up, and memory runs out"
    return f"{value[:40]} is not between {least} and {most}"


def _wrong_min_free(value: str, total: Bytes | None, available: Bytes | None) -> str:
    if not _NUMBER.fullmatch(value.strip()) or int(value) < _LEAST_MIN_FREE_KIB:
        return f"{value[:40]} is below {_LEAST_MIN_FREE_KIB} KiB: the kernel's own emergency allocations would fail"
    if total is None:
        return "the size of this machine's memory is not known, and too large a value wedges it"
    wanted = int(value) * _KIB
    if wanted > total * _MOST_MIN_FREE_SHARE:
        share = f"{format_bytes(wanted)} is more than 5 % of {format_bytes(total)}"
        return f"{share}: too large a value makes the kernel end processes at once, and can wedge the machine"
    if available is not None and wanted > available / 2:
        return (
            f"{format_bytes(wanted)} is more than half of the {format_bytes(available)} that are available now: "
            "the kernel would have to free memory at once"
        )
    return ""


def in_other_unit(key: str, live: str) -> str:
    """Return the key that is in force in the place of this one; empty when this one is, or has no such twin."""
    twins = {one: other for pair in _PAIRS for one, other in (pair, pair[::-1])}
    return twins.get(key, "") if live.strip() == "0" else ""


def warning_of(key: str, value: str) -> str:
    """Return what is worth knowing of a value that may be set; empty for nothing."""
    if key == "vm.vfs_cache_pressure" and int(value) > _SUGGESTED_PRESSURE:
        return (
            f"vm.vfs_cache_pressure={value}: only caches of directory entries and inodes; the kernel's documentation "
            "warns that far above 100 it may cost performance; no gain was measured"
        )
    if key == "vm.swappiness":
        return (
            f"vm.swappiness={value}: file pages are dropped before memory is paged out; it does not mean swap at the "
            "very end, memory of CUDA is not swappable, and no gain was measured"
        )
    if key == "vm.overcommit_memory" and value.strip() == "2":
        return "vm.overcommit_memory=2: CUDA reserves far more addresses than memory, and may fail to start"
    return ""


def comment_of(key: str) -> tuple[str, ...]:
    """Return what a key does and does not do, in lines for a file of settings."""
    return _COMMENTS.get(key, ("Set because the profile names it. Expected effect: none measured.",))


def cuts_off(key: str) -> bool:
    """Whether a wrong value can cost the network connection to the machine."""
    return key.startswith("net.") and not key.startswith(_HARMLESS_NET)


def same_value(one: str, other: str) -> bool:
    """Whether two values mean the same: the same words, numbers in any way of writing."""
    return [_plain(word) for word in one.split()] == [_plain(word) for word in other.split()]


def _plain(word: str) -> str:
    return str(int(word)) if _NUMBER.fullmatch(word) else word
