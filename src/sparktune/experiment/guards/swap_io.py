"""swap-io: pages travel to and from swap.

Looks at: pswpin and pswpout of /proc/vmstat, second by second.
Stops when: ``swap_pages`` (256) pages or more travelled in each of the last three seconds - two while an engine starts
    or reads its first long prompt - or ``swap_pages_at_once`` (4096) or more within the last one.
Unknown when: the node does not tell both counters, or has not for so long.
Source: https://github.com/Reederey87/dgx-spark-2x-deepseek-v4-flash docs/07, docs/08: both figures. What the GPU has
    cannot be swapped; what is, is the engine's own host side, and the time to the first token collapses.
"""

__all__ = ["GUARD"]

from sparktune.experiment.guards._shared import changes, trip
from sparktune.model.guard import Guard, GuardView, Limits, Trip

_ID = "swap-io"
_SPAN_S = 1.0
_HINT = (
    "wait until it is quiet, then start the engine anew with less memory: what was swapped out comes back page by "
    "page. Swap that is never used for serving can be switched off for a measurement: sudo swapoff -a"
)


def _judge(view: GuardView, limits: Limits) -> Trip | None:
    steady, once = limits.swap_pages, limits.swap_pages_at_once
    last = _pages(view, 1)
    if last is not None and once is not None and last[0] >= once:
        return trip(_ID, view, f"{last[0]:.0f} pages swapped within a second (limit {once})", _HINT)
    wanted = 2 if view.tight else 3
    spans = _pages(view, wanted)
    if spans is None or steady is None or min(spans) < steady:
        return None
    each = ", ".join(f"{pages:.0f}" for pages in reversed(spans))
    return trip(_ID, view, f"{each} pages swapped in the last {wanted} seconds (limit {steady} in each)", _HINT)


def _pages(view: GuardView, seconds: int) -> tuple[float, ...] | None:
    into = changes(view.ticks, "swapped_in_pages", _SPAN_S, seconds)
    out = changes(view.ticks, "swapped_out_pages", _SPAN_S, seconds)
    if into is None or out is None:
        return None
    return tuple(max(one, 0.0) + max(other, 0.0) for one, other in zip(into, out, strict=True))


GUARD = Guard(
    id=_ID,
    title="No traffic with swap",
    why="A host that swaps measures its disk, and is a step from a hang: the time to the first token collapses.",
    source="https://github.com/Reederey87/dgx-spark-2x-deepseek-v4-flash docs/07 and docs/08",
    needs=("swapped_in_pages", "swapped_out_pages"),
    limit="swap_pages",
    judge=_judge,
)
