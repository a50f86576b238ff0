"""Kernel settings: their live value, and the line of a file that decides them at the next boot.

Source: sysctl.d(5). One list of files by name over four folders, of equal names that of the first folder; the last
line wins, and a line that names a key wins over a pattern. systemd does not read /etc/sysctl.conf itself: Ubuntu links
it as 99-sysctl.conf. ``sysctl --system`` and TuneD apply it after all others (sysctl(8)).
"""

__all__ = ["SOURCE", "SysctlFacts", "SysctlLine", "SysctlSetting"]

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from sparktune.host.facts._shared import drop_ins, shorten
from sparktune.model.node import FactSource
from sparktune.model.observed import Observed, State, absent, present, unreadable
from sparktune.model.reads import ReadFile, ReadFiles, Readings

_PATTERNS = tuple(f"{folder}/sysctl.d/*.conf" for folder in ("/etc", "/run", "/usr/local/lib", "/usr/lib"))
_LAST_BY_HAND = "/etc/sysctl.conf"
_KEYS = (
    "kernel.numa_balancing",
    "net.core.netdev_max_backlog",
    "net.core.rmem_max",
    "net.core.wmem_max",
    "net.ipv4.conf.all.arp_announce",
    "net.ipv4.conf.all.arp_ignore",
    "net.ipv4.conf.all.rp_filter",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_wmem",
    "vm.dirty_background_ratio",
    "vm.dirty_ratio",
    "vm.max_map_count",
    "vm.min_free_kbytes",
    "vm.nr_hugepages",
    "vm.overcommit_memory",
    "vm.swappiness",
    "vm.vfs_cache_pressure",
    "vm.zone_reclaim_mode",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SysctlLine:
    """A line of a file that sets a key; ``key`` in dots, it may be a pattern."""

    path: str
    line: int
    key: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SysctlSetting:
    """``live`` has single spaces between its numbers. ``boot`` is the line that wins at boot, ABSENT without any.

    ``by_hand`` is the line that wins when somebody runs ``sysctl --system``; it differs from ``boot`` only through
    /etc/sysctl.conf.
    """

    key: str
    live: Observed[str]
    boot: Observed[SysctlLine]
    by_hand: Observed[SysctlLine]


@dataclass(frozen=True, slots=True, kw_only=True)
class SysctlFacts:
    """The settings that matter here, by key."""

    settings: tuple[SysctlSetting, ...]

    def setting(self, key: str) -> SysctlSetting | None:
        """Return the setting of a key in dots, or None for a key that is not read."""
        return next((setting for setting in self.settings if setting.key == key), None)


def _parse(readings: Readings) -> SysctlFacts:
    files = drop_ins(readings.matching(pattern) for pattern in _PATTERNS)
    last = (_LAST_BY_HAND, readings.file(_LAST_BY_HAND))
    return SysctlFacts(
        settings=tuple(
            SysctlSetting(
                key=key,
                live=readings.file(_live(key)).map(lambda text: " ".join(text.split())),
                boot=_winner(files, key),
                by_hand=_winner([*files, last], key),
            )
            for key in _KEYS
        )
    )


def _winner(files: Iterable[tuple[str, Observed[str]]], key: str) -> Observed[SysctlLine]:
    by_pattern: Observed[SysctlLine] = absent()
    by_name: Observed[SysctlLine] = absent()
    excluded = False
    for path, text in files:
        if text.state is State.UNREADABLE:
            return unreadable(f"{path}: {text.why}")
        for number, line in enumerate((text.value or "").splitlines(), start=1):
            name, value = _split(line)
            if name == key and value is None:
                excluded = True
            elif value is not None and name == key:
                by_name = present(SysctlLine(path=path, line=number, key=name, value=value))
            elif value is not None and fnmatchcase(key, name):
                by_pattern = present(SysctlLine(path=path, line=number, key=name, value=value))
    if by_name.state is State.PRESENT:
        return by_name
    return absent() if excluded else by_pattern


def _split(line: str) -> tuple[str, str | None]:
    """Return key and value; no value for ``-key``, which takes a key out of patterns; no key for what sets nothing."""
    stripped = line.strip()
    if not stripped or stripped[0] in "#;":
        return "", None
    name, sign, value = stripped.partition("=")
    bare = name.strip()
    if not sign and not bare.startswith("-"):
        return "", None
    return _dotted(bare.removeprefix("-").strip()), shorten(value, 300) if sign else None


def _dotted(key: str) -> str:
    """Return a key in dots; when its first separator is a slash, slashes part it and dots belong to a name."""
    first = next((char for char in key if char in "./"), ".")
    return key if first == "." else key.translate(str.maketrans("/.", "./"))


def _live(key: str) -> str:
    return f"/proc/sys/{key.replace('.', '/')}"


SOURCE = FactSource(
    name="sysctl",
    kind=SysctlFacts,
    reads=(
        *(ReadFile(path=_live(key)) for key in _KEYS),
        *(ReadFiles(pattern=pattern) for pattern in _PATTERNS),
        ReadFile(path=_LAST_BY_HAND),
    ),
    parse=_parse,
)
