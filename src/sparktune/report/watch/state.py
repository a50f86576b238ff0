"""What a watcher remembers, and how each piece of news changes it."""

__all__ = ["News", "NodeState", "WatchState", "key_of", "updated"]

from dataclasses import dataclass, replace
from typing import Final

from sparktune.model.drift import DriftRow
from sparktune.model.finding import Finding
from sparktune.report.drift.verdict import drifted, layer_text
from sparktune.report.watch.node import Answered, WatchedEngine, WatchedNode
from sparktune.units import NS_PER_S, Bytes, Nanoseconds, Seconds

_TREND_S: Final[Seconds] = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeState:
    """A node, when it was heard of last (monotonic), and its MemAvailable of the last minute (node's wall clock)."""

    node: WatchedNode
    seen_s: Seconds
    available: tuple[tuple[Nanoseconds, Bytes], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchState:
    """All that was heard. ``drift``, ``doctor`` and ``engine`` are None where nobody asks.

    ``why_no_*`` say why nobody asks. ``new`` are keys of rows and findings that the answer before did not have.
    """

    nodes: tuple[NodeState, ...] = ()
    interval_s: Seconds = 1.0
    engine: WatchedEngine | None = None
    why_no_engine: str = ""
    drift: Answered[DriftRow] | None = None
    why_no_drift: str = ""
    doctor: Answered[Finding] | None = None
    why_no_doctor: str = ""
    new: frozenset[tuple[str, ...]] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """One piece of news, and when it came; the others are None."""

    at_s: Seconds
    node: WatchedNode | None = None
    engine: WatchedEngine | None = None
    drift: Answered[DriftRow] | None = None
    doctor: Answered[Finding] | None = None


def updated(state: WatchState, news: News) -> WatchState:
    """Return the state after the news. Nodes stay in the order in which they were first heard of."""
    if news.node is not None:
        state = replace(state, nodes=_with_node(state.nodes, news.node, news.at_s))
    if news.engine is not None:
        state = replace(state, engine=news.engine)
    if news.drift is not None:
        state = replace(state, drift=news.drift, new=_new(state, state.drift, news.drift, "drift"))
    if news.doctor is not None:
        state = replace(state, doctor=news.doctor, new=_new(state, state.doctor, news.doctor, "doctor"))
    return state


def _with_node(states: tuple[NodeState, ...], node: WatchedNode, at_s: Seconds) -> tuple[NodeState, ...]:
    old = next((one for one in states if one.node.name == node.name), None)
    past = old.available if old is not None else ()
    frame = node.frame
    if frame is not None and frame.available is not None:
        begin_ns = frame.wall_ns - round(_TREND_S * NS_PER_S)
        # A clock that was set back makes what came before it useless.
        past = tuple(one for one in past if begin_ns <= one[0] < frame.wall_ns)
        past = (*past, (frame.wall_ns, frame.available))
    new = NodeState(node=node, seen_s=at_s, available=past)
    return (*states, new) if old is None else tuple(new if one is old else one for one in states)


def _new(
    state: WatchState,
    before: Answered[DriftRow] | Answered[Finding] | None,
    now: Answered[DriftRow] | Answered[Finding],
    kind: str,
) -> frozenset[tuple[str, ...]]:
    """Return the keys that are new; what is told first is not, there is nothing that it was not before."""
    others = frozenset(key for key in state.new if key[0] != kind)
    if before is None or before.items is None or now.items is None:
        return others
    if now.items is before.items:
        return state.new
    return others | (_keys(now.items) - _keys(before.items))


def _keys(items: tuple[DriftRow, ...] | tuple[Finding, ...]) -> frozenset[tuple[str, ...]]:
    return frozenset(key_of(one) for one in items if isinstance(one, Finding) or drifted(one))


def key_of(item: DriftRow | Finding) -> tuple[str, ...]:
    """Return what makes a row or a finding the same one as before."""
    if isinstance(item, Finding):
        return ("doctor", item.rule, item.node or "", item.file or "")
    layers = (layer_text(one) for one in (item.earned, item.file, item.live))
    return ("drift", item.key, item.node, item.part, item.status.value, *layers)
