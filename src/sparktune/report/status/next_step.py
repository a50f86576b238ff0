"""The next most useful command: what was left half done first, then what is broken, then what nobody measured yet."""

__all__ = ["next_step"]

import shlex
from collections.abc import Iterator
from typing import Final

from sparktune.model.front_page import FrontPage
from sparktune.model.node_report import NodeState

_HALF_DONE: Final = frozenset({NodeState.INCOMPLETE, NodeState.UNCONFIRMED})
_RESUME: Final = {
    "ab": "sparktune ab resume {id}",
    "sweep": "sparktune sweep resume {id}",
    "trial": "sparktune place trial --undo",
}
_ENDED: Final = "done"


def next_step(page: FrontPage) -> tuple[str, str]:
    """Return the command and why it is the one; there always is one."""
    return next(_steps(page))


def _steps(page: FrontPage) -> Iterator[tuple[str, str]]:
    yield from _half_done(page)
    yield from _broken(page)
    kinds = {one.kind for one in page.verdicts}
    if page.earned.stale:
        stale = page.earned.stale
        yield (
            "sparktune earned list",
            f"the evidence of {stale} earned {'setting' if stale == 1 else 'settings'} is stale",
        )
    if page.why_store:
        yield "sparktune runs list", "what was measured is not known; this says what stands in the way"
    if page.service is not None and not kinds & {"bench", "ab", "sweep"}:
        yield "sparktune bench", "nothing was measured yet"
    for one in page.verdicts:
        if one.kind in {"ab", "sweep"} and one.state != _ENDED and not one.owner:
            yield _RESUME[one.kind].format(id=one.id), f"{one.kind} {one.id} has not ended"
    if not kinds & {"ab", "sweep"}:
        yield "sparktune knobs list", "no two settings were compared yet; these can be"
    if page.nodes and not any(one.profile for one in page.nodes):
        yield "sparktune host plan", "no node has a host profile; a plan changes nothing"
    yield "sparktune doctor", "all of the above is in order; doctor looks at every node more closely"


def _half_done(page: FrontPage) -> Iterator[tuple[str, str]]:
    for left in page.restores:
        if not left.runs:
            command = f"sparktune drift restore --undo --service {shlex.quote(left.service)}"
            yield command, f"a restore of {left.key} did not end, and what it set is still there"
    for one in page.verdicts:
        if one.owner:
            yield "sparktune watch", f"{one.kind} {one.id} is running: let it end; this shows the nodes meanwhile"
        elif one.holds:
            yield _RESUME[one.kind].format(id=one.id), f"{one.kind} {one.id} left something set"
    for node in page.nodes:
        if node.state in _HALF_DONE:
            yield "sparktune host status", f"{node.node} is {node.state.value}" if node.state else ""


def _broken(page: FrontPage) -> Iterator[tuple[str, str]]:
    silent = [node.node for node in page.nodes if not node.answered]
    if silent:
        yield "sparktune doctor", f"it waits longer for {', '.join(silent)}, and says what is wrong"
    if page.service is not None and page.service.why:
        yield "sparktune logs --live", f"{page.service.name} does not answer; its log says why"
    if page.drift is not None and page.drift.differs:
        yield "sparktune drift", "it says where files and processes part, and what brings them together"
    if page.drift is not None and page.drift.differs is None and page.earned.count:
        yield "sparktune drift", "whether what was earned is still so is not known; it looks longer than this page"
