"""Lines of this boot's kernel log about memory that driver or kernel could not get, and about GPU errors.

dmesg, which is asked where journalctl does not answer, knows only what its ring still holds.
Words: NVIDIA's open kernel modules (NVRM, Xid) and the kernel's mm/oom_kill.c.
"""

__all__ = ["SOURCE", "KernelLogFacts", "LogLines", "XidLines"]

import re
from collections.abc import Iterable
from dataclasses import dataclass

from sparktune.host.facts._shared import output, shorten
from sparktune.model.node import FactSource
from sparktune.model.observed import Observed, absent, present, unreadable
from sparktune.model.reads import CommandOutput, ReadCommand, Readings

# journalctl searches on the node: a boot of weeks can hold hundreds of MB of kernel lines
_WORDS = "NV_ERR_NO_MEMORY|_memdescAllocInternal|NVRM: Xid|oom-killer|Killed process"
_RELEVANT = re.compile(_WORDS)
_JOURNAL = ("journalctl", "-k", "-b", "--no-pager", "-o", "short-iso", "-g", _WORDS)
_DMESG = ("dmesg",)
_MOST_BYTES = 4 * 1024 * 1024
_LONGEST_LINE = 300

_XID = re.compile(r"NVRM: Xid \([^)]{0,64}\): (\d{1,5})", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLines:
    """How many lines matched; the first and the last of them, each cut to 300 characters, empty when there is none."""

    count: int
    first: str = ""
    last: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class XidLines:
    """GPU errors of one Xid number."""

    xid: int
    lines: LogLines


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelLogFacts:
    """Counts over the current boot. ``source`` is the command that answered; all fields share its fate.

    ``no_memory``: NVRM lines with NV_ERR_NO_MEMORY; ``memdesc``: those that name _memdescAllocInternal (the same line
    may count in both); ``oom_invoked`` and ``oom_kills``: the kernel's OOM killer, called and killing.
    """

    source: Observed[str]
    no_memory: Observed[LogLines]
    memdesc: Observed[LogLines]
    oom_invoked: Observed[LogLines]
    oom_kills: Observed[LogLines]
    xids: Observed[tuple[XidLines, ...]]


def _parse(readings: Readings) -> KernelLogFacts:
    journal = _journal_text(readings.command(*_JOURNAL))
    if journal.value is not None:
        return _kernel_log_facts(journal.value, "journalctl")
    dmesg = output(readings.command(*_DMESG))
    if dmesg.value is not None:
        return _kernel_log_facts(dmesg.value, "dmesg")
    reasons = [f"{name}: {text.why}" for name, text in (("journalctl", journal), ("dmesg", dmesg)) if text.why]
    return _all(unreadable("; ".join(reasons)) if reasons else absent())


def _kernel_log_facts(text: str, source: str) -> KernelLogFacts:
    """Count what matters in the text of a boot's kernel log; ``source`` says where it came from."""
    lines = [line for line in text.splitlines() if _RELEVANT.search(line)]
    return KernelLogFacts(
        source=present(source),
        no_memory=present(_matching(lines, ("NVRM", "NV_ERR_NO_MEMORY"))),
        memdesc=present(_matching(lines, ("_memdescAllocInternal",))),
        oom_invoked=present(_matching(lines, ("invoked oom-killer",))),
        oom_kills=present(_matching(lines, ("ut of memory", "Killed process"))),
        xids=present(_xids(lines)),
    )


def _journal_text(command: Observed[CommandOutput]) -> Observed[str]:
    """Return the lines found; a search without a hit ends with code 1 and says nothing of itself."""
    result = command.value
    if result is None:
        return Observed(command.state, None, command.why)
    complaint = shorten(result.stderr)
    if complaint:
        return unreadable(complaint)  # also a hint that not all messages are shown to this user
    if result.code == 0 or (result.code == 1 and _nothing_found(result.stdout)):
        return present(result.stdout)
    return unreadable(f"exit code {result.code}")


def _nothing_found(text: str) -> bool:
    return all(line.startswith("-- ") for line in text.splitlines())


def _matching(lines: Iterable[str], words: tuple[str, ...]) -> LogLines:
    return _lines([line for line in lines if all(word in line for word in words)])


def _lines(found: list[str]) -> LogLines:
    if not found:
        return LogLines(count=0)
    first, last = shorten(found[0], _LONGEST_LINE), shorten(found[-1], _LONGEST_LINE)
    return LogLines(count=len(found), first=first, last=last)


def _xids(lines: Iterable[str]) -> tuple[XidLines, ...]:
    found: dict[int, list[str]] = {}
    for line in lines:
        match = _XID.search(line)
        if match is not None:
            found.setdefault(int(match[1]), []).append(line)
    return tuple(XidLines(xid=xid, lines=_lines(found[xid])) for xid in sorted(found))


def _all(fate: Observed[str]) -> KernelLogFacts:
    lines: Observed[LogLines] = Observed(fate.state, None, fate.why)
    return KernelLogFacts(
        source=fate,
        no_memory=lines,
        memdesc=lines,
        oom_invoked=lines,
        oom_kills=lines,
        xids=Observed(fate.state, None, fate.why),
    )


SOURCE = FactSource(
    name="kernel_log",
    kind=KernelLogFacts,
    reads=(ReadCommand(argv=_JOURNAL, most_bytes=_MOST_BYTES), ReadCommand(argv=_DMESG, most_bytes=_MOST_BYTES)),
    parse=_parse,
)
