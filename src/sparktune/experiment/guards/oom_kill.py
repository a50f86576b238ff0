"""oom-kill: the kernel ended a process for lack of memory.

Looks at: oom_kill of /proc/vmstat, since the arm began.
Stops when: it is higher than it was. Kills within a container's own limit count, too.
Unknown when: the kernel does not count them (before 4.13).
Source: proc_vmstat(5); mm/oom_kill.c counts what it ends, of the whole machine or of one control group.
"""

__all__ = ["GUARD"]

from sparktune.experiment.guards._shared import trip
from sparktune.model.guard import Guard, GuardView, Limits, Trip

_ID = "oom-kill"
_HINT = "see which process it was, and of which control group: journalctl -k -g 'oom-kill|Killed process' -n 20"


def _judge(view: GuardView, limits: Limits) -> Trip | None:
    del limits
    first, last = view.first.oom_kills, view.ticks[-1].oom_kills
    if first is None or last is None or last <= first:
        return None
    times = "once" if last - first == 1 else f"{last - first} times"
    return trip(_ID, view, f"the kernel's OOM killer has killed {times} since this began", _HINT)


GUARD = Guard(
    id=_ID,
    title="The kernel kills nothing",
    why="What was measured has lost a part of itself, or of its neighbours, and the next may be the host's own.",
    source="proc_vmstat(5)",
    needs=("oom_kills",),
    judge=_judge,
)
