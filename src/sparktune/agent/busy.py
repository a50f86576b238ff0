"""Which thread of a process spins while nothing is to do: it wants a whole core, window after window, the others none.

Sources: Documentation/scheduler/sched-stats.rst for schedstat (nanoseconds on a core and of waiting for one; a wait is
counted when it ends); proc(5) for stat (minflt, utime, stime in ticks), status (voluntary switches) and uptime.

Four windows of one second: a second holds 100 ticks of the process's own clock, so that a tenth of a core is ten of
them, and a wait that is still going on when a window ends, some 20 ms on a machine with five times the threads that it
has cores, is no more than a few hundredths of it. Four, because work that keeps one thread busy and lets all others of
its process rest for so long is rare, and whoever asks has the answer within five seconds. The first window that speaks
against a thread ends its examination, so that a process at work costs one.
"""

__all__ = ["LEAST_AGE_S", "why_not_busy"]

import os
import time
from collections.abc import Iterable

from sparktune.agent.gpu_idle import Devices
from sparktune.agent.thread_rules import Seen, numbers_in, raw

TYPE_CHECKING = False  # as in thread_rules
if TYPE_CHECKING:
    from sparktune.agent.thread_rules import Paths

LEAST_AGE_S = 20.0
_WINDOWS, _LENGTH_S = 4, 1.0
_WHOLE, _NEARLY, _REST = 0.9, 0.75, 0.1  # of a core; a wait that has not ended is missing in one window
_FEW_SWITCHES, _FEW_FAULTS = 5.0, 100.0  # per second
_LONGEST = 1.5  # of the length asked for; after that this process itself did not get to look
_NS = 1_000_000_000
_VOLUNTARY = "\nvoluntary_ctxt_switches:"
# Fields of stat, counted from the state, which follows the name in parentheses.
_FAULTS, _UTIME, _STIME, _STARTED = 7, 11, 12, 19

_Times = tuple[int, int, int]  # monotonic, ran, waited: nanoseconds


class _Look:
    """A process at one instant: what its threads have had, and what its clock says of all, also of those that ended."""

    def __init__(self, tree: "Paths", pid: int, examined: Iterable[Seen]) -> None:
        self.at_ns = time.monotonic_ns()
        self.threads = {
            tid: times for tid in numbers_in(tree, f"/proc/{pid}/task") if (times := _times(tree, pid, tid))
        }
        self.ticks = sum(int(word) for word in _fields(tree, f"/proc/{pid}/stat")[_UTIME : _STIME + 1])
        self.own = {seen.tid: _own(tree, seen) for seen in examined}


def why_not_busy(tree: "Paths", examined: Iterable[Seen]) -> dict[str, str]:
    """Return why each thread is not to be taken for one that spins, "" for one that is; by its item. Raises OSError.

    It takes up to five seconds, whatever their number; threads of one process are compared with each other.
    """
    devices = Devices(tree)
    left: dict[int, list[Seen]] = {}
    answers: dict[str, str] = {}
    for seen in examined:
        answers[seen.item] = _too_young(tree, seen)
        if not answers[seen.item]:
            left.setdefault(seen.pid, []).append(seen)
    looks: dict[int, list[_Look]] = {pid: [_Look(tree, pid, those)] for pid, those in left.items()}
    for window in range(_WINDOWS):
        if not left:
            break
        time.sleep(_LENGTH_S)
        for pid in list(left):
            looks[pid].append(_Look(tree, pid, left[pid]))
            answers |= {seen.item: _judged(looks[pid], seen) for seen in left[pid]}
        # A program is asked about the GPU: only when something is left, and not in each window.
        work = devices.work() if window in {0, _WINDOWS - 1} and not all(answers[s.item] for s in _all(left)) else ""
        answers |= {seen.item: answers[seen.item] or work for seen in _all(left)}
        left = {
            pid: rest for pid, those in left.items() if (rest := [seen for seen in those if not answers[seen.item]])
        }
    return answers


def _all(left: dict[int, list[Seen]]) -> list[Seen]:
    return [seen for those in left.values() for seen in those]


def _judged(looks: list[_Look], seen: Seen) -> str:
    """Return what the last window, or all of them together, say against a thread."""
    before, after = looks[-2:]
    if before.own[seen.tid] is None or after.own.get(seen.tid) is None:
        return "it has ended"
    first, last = before.threads.get(seen.tid), after.threads.get(seen.tid)
    if first is None or last is None:
        return "how long it waits for a core is not told"
    length_ns = last[0] - first[0]
    if not 0 < length_ns <= _LONGEST * _LENGTH_S * _NS:
        return "this machine is too busy to look at it every second"
    start = looks[0].threads[seen.tid]
    if _demand(first, last) < _NEARLY or (len(looks) > _WINDOWS and _demand(start, last) < _WHOLE):
        return "it does not want a whole core"
    return _sleeps_or_grows(before, after, seen, length_ns / _NS) or _others(before, after, seen)


def _sleeps_or_grows(before: _Look, after: _Look, seen: Seen, length_s: float) -> str:
    first, last = before.own[seen.tid], after.own[seen.tid]
    if first is None or last is None:
        return "it has ended"
    if (last[0] - first[0]) / length_s >= _FEW_SWITCHES:
        return "it sleeps in between"
    if (last[1] - first[1]) / length_s >= _FEW_FAULTS:
        return "it takes new memory all along, as what computes does"
    return ""


def _others(before: _Look, after: _Look, seen: Seen) -> str:
    """Tell of the other threads, those that came or ended in the window among them, whether they rest."""
    first, last = before.threads[seen.tid], after.threads[seen.tid]
    wanted = 0
    for tid, times in after.threads.items():
        if tid != seen.tid:
            _, ran, waited = before.threads.get(tid, (0, 0, 0))
            wanted += times[1] - ran + times[2] - waited
    length_ns = after.at_ns - before.at_ns
    ticks_ns = (after.ticks - before.ticks) * _NS // os.sysconf("SC_CLK_TCK")
    others = max(wanted / length_ns, (ticks_ns - (last[1] - first[1])) / length_ns)
    return f"other threads of its process want {others:.1f} cores: it is at work" if others >= _REST else ""


def _demand(first: _Times, last: _Times) -> float:
    return (last[1] - first[1] + last[2] - first[2]) / (last[0] - first[0])


def _too_young(tree: "Paths", seen: Seen) -> str:
    up_s = float((raw(tree, "/proc/uptime").split() or ["0"])[0])
    young = up_s - seen.start / os.sysconf("SC_CLK_TCK") < LEAST_AGE_S
    return f"it is younger than {LEAST_AGE_S:.0f} s: it may still load or warm up" if young else ""


def _times(tree: "Paths", pid: int, tid: int) -> _Times | None:
    at_ns = time.monotonic_ns()
    words = raw(tree, f"/proc/{pid}/task/{tid}/schedstat").split()
    return (at_ns, int(words[0]), int(words[1])) if len(words) > 1 else None


def _own(tree: "Paths", seen: Seen) -> tuple[int, int] | None:
    """Return a thread's voluntary switches and faults, None when it is not that thread any more."""
    folder = f"/proc/{seen.pid}/task/{seen.tid}"
    _, found, rest = raw(tree, f"{folder}/status").partition(_VOLUNTARY)
    fields = _fields(tree, f"{folder}/stat")
    if not found or len(fields) <= _STARTED or int(fields[_STARTED]) != seen.start:
        return None
    return int(rest.partition("\n")[0]), int(fields[_FAULTS])


def _fields(tree: "Paths", path: str) -> list[str]:
    stat = raw(tree, path)
    return stat[stat.rfind(")") + 1 :].split()
