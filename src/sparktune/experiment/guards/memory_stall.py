"""memory-stall: nothing on the host got on, because all of it waited for memory.

Looks at: the total of ``full`` in /proc/pressure/memory over the last three seconds.
Stops when: that is ``stall_share`` (20 %) or more of them; 10 % while an engine starts or reads its first long prompt.
Unknown when: the kernel has no pressure file (CONFIG_PSI, or psi=0 at boot), or there are no three seconds yet.
Source: Documentation/accounting/psi.rst: ``full`` is the time in which all tasks that had something to do were stalled;
    the share at which it stops is ours.
"""

__all__ = ["GUARD"]

from sparktune.experiment.guards._shared import changes, fraction, trip
from sparktune.model.guard import Guard, GuardView, Limits, Trip
from sparktune.units import NS_PER_S, format_percent

_ID = "memory-stall"
_SPAN_S = 3.0
_HINT = "memory is asked for faster than the kernel gives it back: end what is not needed, then begin again with less"


def _judge(view: GuardView, limits: Limits) -> Trip | None:
    stalled = changes(view.ticks, "memory_stall_ns", _SPAN_S, 1)
    if stalled is None or limits.stall_share is None:
        return None
    share, most = stalled[0] / NS_PER_S, limits.stall_share * fraction(view)
    if share < most:
        return None
    limit = f"limit {format_percent(most)}"
    evidence = f"all tasks waited for memory in {format_percent(share)} of the last {_SPAN_S:.0f} s ({limit})"
    return trip(_ID, view, evidence, _HINT)


GUARD = Guard(
    id=_ID,
    title="The host does not stand still for memory",
    why="A host that stands still cannot be stopped any more by what runs on it; every latency is that of its reclaim.",
    source="Documentation/accounting/psi.rst",
    needs=("memory_stall_ns",),
    limit="stall_share",
    judge=_judge,
)
