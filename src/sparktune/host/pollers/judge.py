"""What a thread is, from its windows, the idle gate and what is known of its kind.

What counters can tell (proc(5), measured on a machine loaded to five times its cores): run time and waiting together
show who wants a core always, however little it gets. Yielding and polling with a timeout of 0 spend most of their time
in the kernel. A pure spin and a computation look the same. So CERTAIN needs three things: nothing was to do, on every
count; the thread wanted a whole core in five windows in a row; and either its kind is known to poll, or it is an
engine's and spends its time in the kernel without page faults, reads and writes. A device that the process has open is
no proof of one thread. All else that wants a core is LIKELY, and said to be a spin or a computation.
"""

__all__ = ["LEAST_DEMAND", "placed"]

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

from sparktune.host.cpulist import CpuSet
from sparktune.host.pollers.known import all_known
from sparktune.model.place import KnownPoller, Poller, PollerVerdict, ThreadSeen, ThreadWindow
from sparktune.units import Ratio, format_percent

_LEAST_WINDOWS = 5
LEAST_DEMAND: Ratio = 0.1
_WHOLE: Ratio = 0.9
_NEARLY: Ratio = 0.75
_FEW_SWITCHES = 5.0
_LEAST_WAKES = 20.0
_SHORT_S = 0.002  # a sleep, and the run after it, of one that looks whether there is something to do
_SHORTEST_S = 1.9  # two seconds, less what a clock is late
_OLD_S = 60.0
_IN_KERNEL: Ratio = 0.5
_LEAST_RAN_S = 0.2  # twenty ticks of the kernel's accounting; with fewer a share is chance
_FEW_FAULTS = 100.0
_LITTLE_MOVED = 1_000_000.0  # bytes a second: copies out of the page cache are gigabytes, a look for work is bytes
_WORDS_OF_COMMAND = 400


def _known_kind(thread: ThreadSeen, known: Sequence[KnownPoller] | None = None) -> KnownPoller | None:
    """Return the kind that a thread is of, None for none.

    Of several, one that computes goes before those that do not, then one that names its thread before one of its
    process alone.
    """
    names = (thread.process, " ".join(thread.argv)[:_WORDS_OF_COMMAND])
    found = [one for one in (all_known() if known is None else known) if _is_of(one, thread, names)]
    return min(found, key=lambda one: (not one.computes, one.thread is None), default=None)


def _verdict_of(thread: ThreadSeen, known: KnownPoller | None = None) -> tuple[PollerVerdict, str]:
    """Return what a thread is, and what that rests on."""
    windows = thread.windows
    if windows and _are_whole(windows):
        return _whole(thread, known)
    if windows and _wake(windows):
        rate, demand = fmean(one.voluntary_per_s for one in windows), _mean_demand(windows)
        why = f"it wakes {rate:,.0f} times a second and wants {format_percent(demand)} of a core for that"
        return _unless_busy(windows, known, why)
    return PollerVerdict.NOT, "it sleeps, or does not want a core in every window"


def placed(node: str, thread: ThreadSeen, fast: CpuSet, slow: CpuSet) -> Poller:
    """Return a thread with its verdict, its cost, and what to do: update or set first, move second."""
    known = _known_kind(thread)
    verdict, why = _verdict_of(thread, known)
    core = thread.windows[-1].core if thread.windows else None
    kind = "performance" if core in fast else "efficiency" if core in slow else ""
    cost = fmean(one.ran for one in thread.windows) if thread.windows else 0.0
    poller = Poller(node=node, thread=thread, verdict=verdict, cores=cost, core_kind=kind, known=known, why=why)
    return replace(poller, fix=_fix(poller), then=_then(poller, slow, told=bool(fast or slow)))


def _is_of(one: KnownPoller, thread: ThreadSeen, names: Sequence[str]) -> bool:
    if not any(one.process.search(name) for name in names):
        return False
    return one.thread is None or one.thread.search(thread.name) is not None


def _has_needs(one: KnownPoller, thread: ThreadSeen) -> bool:
    return not one.needs or any(word in line for word in one.needs for line in thread.evidence)


def _are_whole(windows: Sequence[ThreadWindow]) -> bool:
    """Tell whether it wanted a core all along.

    The kernel counts a wait when it ends: one that is still going on is missing in this window, and is in the next.
    """
    if _mean_demand(windows) < _WHOLE or min(one.demand for one in windows) < _NEARLY:
        return False
    return all(not one.switches_told or one.voluntary_per_s < _FEW_SWITCHES for one in windows)


def _wake(windows: Sequence[ThreadWindow]) -> bool:
    """Tell whether it sleeps shortly, works shortly, and so on; under contention it also waits, which says nothing.

    All windows together tell how long: on a loaded machine it wakes a few times a second, since it waits in between.
    """
    if not all(one.switches_told and one.demand >= LEAST_DEMAND for one in windows):
        return False
    wakes = sum(one.voluntary_per_s * one.length_s for one in windows)
    slept_s = (1 - _mean_demand(windows)) * sum(one.length_s for one in windows)
    ran_s = sum(one.ran * one.length_s for one in windows)
    return wakes >= _LEAST_WAKES and max(slept_s, ran_s) <= _SHORT_S * wakes


def _mean_demand(windows: Sequence[ThreadWindow]) -> Ratio:
    return min(fmean((one.demand for one in windows), weights=[one.length_s for one in windows]), 1.0)


def _in_kernel(windows: Sequence[ThreadWindow]) -> Ratio | None:
    """Return the share of its running time in the kernel over all windows; None where that was too short to tell."""
    told = [(one.system, one.ran * one.length_s) for one in windows if one.system is not None]
    ran_s = sum(weight for _, weight in told)
    return sum(share * weight for share, weight in told) / ran_s if ran_s >= _LEAST_RAN_S else None


def _whole(thread: ThreadSeen, known: KnownPoller | None) -> tuple[PollerVerdict, str]:
    windows = thread.windows
    share = _in_kernel(windows)
    in_kernel = share is not None and share > _IN_KERNEL
    why = f"it wanted a whole core in {'its only window' if len(windows) == 1 else f'all of {len(windows)} windows'}"
    if share is not None and in_kernel:
        why += f", {format_percent(share)} of its time in the kernel, and did not sleep"
    elif known is None or known.computes:
        why += "; whether it spins or computes counters cannot tell"
    if any(one.idle is False for one in windows):
        return _unless_busy(windows, known, why)
    lacks = _lacks(thread, known, in_kernel=in_kernel)
    if not lacks:
        return PollerVerdict.CERTAIN, f"{why}, while nothing was to do"
    return _unless_busy(windows, known, f"{why}; not certain: {lacks}")


def _unless_busy(windows: Sequence[ThreadWindow], known: KnownPoller | None, why: str) -> tuple[PollerVerdict, str]:
    if any(one.idle is False for one in windows):
        return PollerVerdict.UNDER_LOAD, f"{why}; there was work in at least one window"
    if known is not None and known.computes and not all(one.idle for one in windows):
        return PollerVerdict.UNDER_LOAD, f"{why}; threads of its kind do the work, and idleness was not shown"
    return PollerVerdict.LIKELY, why


def _lacks(thread: ThreadSeen, known: KnownPoller | None, *, in_kernel: bool) -> str:
    """Return what is missing for certainty, "" for nothing."""
    windows = thread.windows
    if not all(one.idle for one in windows):
        return "that nothing was to do is not shown on all counts (requests, GPU, RDMA)"
    if len(windows) < _LEAST_WINDOWS or any(one.length_s < _SHORTEST_S for one in windows):
        return f"that takes {_LEAST_WINDOWS} windows of 2 s"
    if thread.age_s is None or thread.age_s < _OLD_S:
        return "it is younger than a minute" if thread.age_s is not None else "its age is not known"
    yields = in_kernel and all(_does_no_work(one) for one in windows)
    is_known = known is not None and not known.computes
    if yields and (is_known or (known is None and thread.engine)):
        return ""
    if known is not None and is_known and known.needs and _has_needs(known, thread):
        return ""
    return "nothing tells it from a thread that computes"


def _does_no_work(window: ThreadWindow) -> bool:
    """Tell whether its time in the kernel is shown to be no work: it neither fills memory nor moves bytes."""
    faults, moved = window.faults_per_s, window.moved_bytes_per_s
    return faults is not None and faults < _FEW_FAULTS and moved is not None and moved < _LITTLE_MOVED


def _fix(poller: Poller) -> str:
    known = poller.known
    if poller.verdict is PollerVerdict.NOT:
        return ""
    if known is not None:
        return known.fix_of(poller.thread) if known.fix_of is not None else known.fix
    return "find out what it does (py-spy dump, perf top -t TID): a setting that lets it sleep is the best fix"


def _then(poller: Poller, slow: CpuSet, *, told: bool) -> str:
    known = poller.known
    if poller.verdict is PollerVerdict.NOT or poller.core_kind == "efficiency":
        return ""
    if poller.verdict is PollerVerdict.UNDER_LOAD:
        return "do not move it: under load that may cost tokens per second; scan again while nothing runs"
    if known is not None and (known.computes or not known.placement):
        return f"do not move it: {known.why}"
    if not slow and (told or poller.thread.start_ticks):
        known_slower = "there are none" if told else "none are known"
        return f"leave it where it is: of slower cores that it could be moved to {known_slower} on this machine"
    if not told:
        # What is known of a report's node is no more than the report.
        return (
            f"move that thread alone: taskset -cp CORE (on a GB10 one of 0-4,10-14) {poller.thread.tid}; keep it only "
            "when the node is cooler and its tokens per second are not lower in several samples"
        )
    at = f"{poller.thread.tid}@{poller.node}"
    likely = " --accept-likely (only when you know that it polls)" if poller.verdict is PollerVerdict.LIKELY else ""
    return (
        f"see whether moving that thread alone helps: sparktune place trial {at}; to move it: sparktune place pin {at}"
        f"{likely}"
    )
