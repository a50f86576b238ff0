"""Who ended a process with SIGKILL, as far as the logs prove it: exit code 137 alone says nothing about memory.

Sources: signal(7), 128 + 9 as shells and Docker tell it; mm/oom_kill.c for the kernel's lines; docker inspect,
State.OOMKilled; the messages of earlyoom(1), systemd-oomd(8), nohang and others like them, which send the signal from
user space and say so in the journal. A line counts only when its time is near the end: an OOM of the evening before is
no evidence.
"""

__all__ = ["KILLERS", "Killed", "Killer", "explain_kill"]

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from typing import Final

from sparktune.units import NS_PER_S, Nanoseconds, Seconds

_SIGKILL: Final = frozenset({137, -9})
_BEFORE_S: Final[Seconds] = 30.0
_AFTER_S: Final[Seconds] = 5.0
_LONGEST: Final = 300
KILLERS: Final = "oom|Killed process|[Ss]ending SIG|nohang"
"""What a line of a journal that could name a killer matches, as a regular expression."""

_UNIX = re.compile(r"(\d{9,11})\.\d{1,9} ", re.ASCII)
_ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)", re.ASCII)
_SYSLOG = re.compile(r"([A-Z][a-z]{2}) +(\d{1,2}) (\d\d):(\d\d):(\d\d) ", re.ASCII)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_KERNEL = re.compile(r"kernel: .*(?:Killed process (?P<pid>\d+)|invoked oom-killer)")
_SENDER = re.compile(r"(?P<name>[\w.@-]+)\[\d+\]: .*?(?:[Ss]ending SIG\w+ to (?:process )?|[Kk]illed )(?P<pid>\d+)?")
_OURS = frozenset({"kernel", "sparktune"})


class Killer(Enum):
    """What the evidence supports."""

    NOBODY = "not killed"
    KERNEL = "kernel OOM killer"
    CONTAINER_LIMIT = "kernel OOM killer, at the container's limit"
    USERSPACE = "userspace killer"
    UNPROVEN = "not proven kernel OOM"


@dataclass(frozen=True, slots=True, kw_only=True)
class Killed:
    """``text`` says it in one sentence, ``evidence`` is the line that it rests on, "" for none."""

    killer: Killer
    text: str
    evidence: str = ""


def explain_kill(
    code: int | None,
    *,
    ended_ns: Nanoseconds,
    logs: Sequence[str],
    container_oom: bool | None = None,
    pids: Container[int] | None = None,
    utc_offset_s: Seconds = 0.0,
) -> Killed:
    """Say who ended a process with SIGKILL, from lines of ``logs`` near ``ended_ns`` (of the wall clock).

    ``code`` is an exit code as shells (137) or Python (-9) tell it. ``pids`` are the process's own, None where they are
    not known: then a kill at that time counts. ``utc_offset_s`` is that of stamps which do not tell it.
    """
    if code not in _SIGKILL:
        return Killed(killer=Killer.NOBODY, text=f"exit code {code} is not SIGKILL")
    if container_oom:
        text = "Docker says OOMKilled: the kernel ended a process at the container's memory limit"
        return Killed(killer=Killer.CONTAINER_LIMIT, text=text, evidence="State.OOMKilled=true")
    near = [line for text in logs for line in _near(text, ended_ns, utc_offset_s)]
    kernel = _first(near, _KERNEL, pids)
    if kernel is not None:
        return Killed(killer=Killer.KERNEL, text="the kernel's OOM killer ended it", evidence=kernel.string)
    sender = _first(near, _SENDER, pids)
    if sender is not None and sender["name"] not in _OURS:
        text = (
            f"{sender['name']}, a program that watches memory, ended it with a signal; the kernel's OOM killer did not"
        )
        return Killed(killer=Killer.USERSPACE, text=text, evidence=sender.string)
    also = ", and Docker says OOMKilled=false" if container_oom is False else ""
    text = (
        f"137 is SIGKILL and nothing more: no line of the kernel's OOM killer or of another one near its end{also}; "
        "not proven kernel OOM"
    )
    return Killed(killer=Killer.UNPROVEN, text=text)


def _first(lines: Sequence[str], pattern: re.Pattern[str], pids: Container[int] | None) -> "re.Match[str] | None":
    for line in lines:
        match = pattern.search(line)
        if match is not None and (pids is None or (match["pid"] is not None and int(match["pid"]) in pids)):
            return match
    return None


def _near(text: str, ended_ns: Nanoseconds, utc_offset_s: Seconds) -> Iterator[str]:
    ended_s = ended_ns / NS_PER_S
    for line in text.splitlines():
        stamp = _stamp(line, ended_s, utc_offset_s)
        if stamp is not None and ended_s - _BEFORE_S <= stamp <= ended_s + _AFTER_S:
            yield line[:_LONGEST]


def _stamp(line: str, ended_s: Seconds, utc_offset_s: Seconds) -> Seconds | None:
    """Return when a line was written; None for a stamp that cannot be placed, such as seconds since the boot."""
    unix = _UNIX.match(line)
    if unix is not None:
        return float(unix[1])
    iso = _ISO.match(line)
    try:
        if iso is not None:
            return datetime.fromisoformat(iso[0].replace(",", ".")).timestamp()
    except ValueError:
        return None
    syslog = _SYSLOG.match(line)
    if syslog is None or syslog[1] not in _MONTHS:
        return None
    # No year is written: it is the one that puts the line closest to the end.
    year = datetime.fromtimestamp(ended_s, UTC).year
    stamps = [stamp for one in (year - 1, year, year + 1) if (stamp := _utc(one, syslog)) is not None]
    return min((stamp - utc_offset_s for stamp in stamps), key=lambda stamp: abs(stamp - ended_s), default=None)


def _utc(year: int, syslog: "re.Match[str]") -> Seconds | None:
    day, hour, minute, second = (int(syslog[place]) for place in range(2, 6))
    try:
        return datetime(year, _MONTHS.index(syslog[1]) + 1, day, hour, minute, second, tzinfo=UTC).timestamp()
    except ValueError:
        return None  # the 29th of February is not in every year
