"""Lines of this boot's kernel log about memory that driver or kernel could not get, and about GPU errors.

Words: NVIDIA's open kernel modules (NVRM, Xid) and the kernel's mm/oom_kill.c.
"""

__all__ = ["KernelLogFacts", "LogLines", "XidLines"]

from dataclasses import dataclass

from sparktune.model.observed import Observed


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
