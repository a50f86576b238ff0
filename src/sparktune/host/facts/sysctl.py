"""Kernel settings: their live value, and the line of a file that decides them at the next boot.

Source: sysctl.d(5). One list of files by name over four folders, of equal names that of the first folder; the last
line wins, and a line that names a key wins over a pattern. systemd does not read /etc/sysctl.conf itself: Ubuntu links
it as 99-sysctl.conf. ``sysctl --system`` and TuneD apply it after all others (sysctl(8)).
"""

__all__ = ["SOURCE", "SysctlFacts", "SysctlLine", "SysctlSetting", "live_path", "setting_reads", "settings_of"]

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import NamedTuple

from sparktune.host.facts._shared import drop_ins, shorten
from sparktune.model.node import FactSource
from sparktune.model.observed import Observed, State, absent, present, unreadable
from sparktune.model.reads import Read, ReadFile, ReadFiles, Readings

_PATTERNS = tuple(f"{folder}/sysctl.d/*.conf" for folder in ("/etc", "/run", "/usr/local/lib", "/usr/lib"))
_LAST_BY_HAND = "/etc/sysctl.conf"
_MOST_LINES = 5000  # a hundred times what a distribution ships; every line is compared with every key
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
    /etc/sysctl.conf. ``lines`` are all lines that name the key, in the order in which they apply at boot.
    """

    key: str
    live: Observed[str]
    boot: Observed[SysctlLine]
    by_hand: Observed[SysctlLine]
    lines: tuple[SysctlLine, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SysctlFacts:
    """The settings that matter here, by key."""

    settings: tuple[SysctlSetting, ...]


class _Line(NamedTuple):
    path: str
    number: int
    key: str
    value: str | None  # None: takes the key out of patterns

    def whole(self) -> SysctlLine:
        return SysctlLine(path=self.path, line=self.number, key=self.key, value=self.value or "")


def live_path(key: str) -> str:
    """Return where a key, in dots, has its live value."""
    return f"/proc/sys/{key.replace('.', '/')}"


def setting_reads(keys: Iterable[str]) -> tuple[Read, ...]:
    """Return what has to be read for the settings of these keys."""
    return (
        *(ReadFile(path=live_path(key)) for key in keys),
        *(ReadFiles(pattern=pattern) for pattern in _PATTERNS),
        ReadFile(path=_LAST_BY_HAND),
    )


def settings_of(readings: Readings, keys: Iterable[str]) -> tuple[SysctlSetting, ...]:
    """Return the settings of keys from the answers to ``setting_reads``."""
    files = drop_ins(readings, _PATTERNS)
    at_boot = _lines(files)
    by_hand = _lines([*files, (_LAST_BY_HAND, readings.file(_LAST_BY_HAND))])
    return tuple(
        SysctlSetting(
            key=key,
            live=readings.file(live_path(key)).map(lambda text: " ".join(text.split())),
            boot=_winner(at_boot, key),
            by_hand=_winner(by_hand, key),
            lines=tuple(line.whole() for line in at_boot.value or () if line.key == key and line.value is not None),
        )
        for key in keys
    )


def _parse(readings: Readings) -> SysctlFacts:
    return SysctlFacts(settings=settings_of(readings, _KEYS))


def _lines(files: Iterable[tuple[str, Observed[str]]]) -> Observed[tuple[_Line, ...]]:
    found: list[_Line] = []
    for path, text in files:
        if text.state is State.UNREADABLE:
            return unreadable(f"{path}: {text.why}")
        for number, line in enumerate((text.value or "").splitlines(), start=1):
            key, value = _split(line)
            if key:
                found.append(_Line(path, number, key, value))
            if len(found) > _MOST_LINES:
                return unreadable(f"more than {_MOST_LINES} settings")
    return present(tuple(found))


def _winner(lines: Observed[tuple[_Line, ...]], key: str) -> Observed[SysctlLine]:
    if lines.value is None:
        return Observed(lines.state, None, lines.why)
    named = [line for line in lines.value if line.key == key]
    setting = [line for line in named if line.value is not None]
    if not named:
        setting = [line for line in lines.value if line.value is not None and _matches(key, line.key)]
    return present(setting[-1].whole()) if setting else absent()


def _matches(key: str, pattern: str) -> bool:
    return any(char in pattern for char in "*?[") and fnmatchcase(key, pattern)


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


SOURCE = FactSource(name="sysctl", kind=SysctlFacts, reads=setting_reads(_KEYS), parse=_parse)
