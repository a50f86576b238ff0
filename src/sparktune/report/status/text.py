"""The front page for a terminal: a line for each thing, its name first, and what to type next."""

__all__ = ["outside_text", "status_text"]

from collections.abc import Iterator, Sequence
from typing import Final

from sparktune.model.front_page import DriftStanding, EarnedStanding, FrontPage, NodeStanding, VerdictStanding
from sparktune.model.node_report import NodeState
from sparktune.report.bench.words import one_line, utc
from sparktune.report.layout import fold
from sparktune.report.status.next_step import next_step
from sparktune.units import Seconds, count_of, format_duration

_NAME: Final = 10  # columns of the first words, the blank behind them included
_MOST_NODES: Final = 4  # each with a line of its own; of more, those that say something else
_OUTSIDE: Final = (
    ("sparktune measures and tunes LLM serving on DGX Sparks;", "no sparktune.yaml is in this folder or above it."),
    ("sparktune demo", "a real A/B on this machine, without a GPU"),
    ("sparktune doctor --nodes A,B", "what is wrong with nodes; only reads them"),
    ("sparktune bench http://HOST:8000/v1", "how fast your server is"),
    ("sparktune init", "write sparktune.yaml for them"),
    ("sparktune --help", "all commands"),
)


def outside_text() -> str:
    """Return what is said where nothing is configured: what it is, and how to begin. It fits 80 columns."""
    (what, why), *ways = _OUTSIDE
    return "\n".join((what, why, *(f"  {command:<35}  {does}" for command, does in ways))) + "\n"


def status_text(page: FrontPage, *, width: int = 80) -> str:
    """Return the page for a terminal of ``width`` columns; what did not answer is said to be so, never left out."""
    command, why = next_step(page)
    lines = [f"{one_line(page.config)} at {utc(page.at_wall_s)}"]
    for name, words in _lines(page):
        lines += _filled(name, words, width)
    lines += _filled("next", f"{command}  ({why})", width)
    return "\n".join(lines) + "\n"


def _lines(page: FrontPage) -> Iterator[tuple[str, str]]:
    yield from _nodes(page)
    if page.service is None:
        yield "service", page.why_service or "sparktune.yaml names none"
    elif page.service.why:
        yield "service", f"{page.service.name} at {page.service.endpoint}: {page.service.why}"
    else:
        yield "service", f"{page.service.name} answers: {page.service.engine}, {page.service.model or 'model unknown'}"
    if page.why_store:
        yield "measured", f"{'not all is known' if page.verdicts else 'unknown'}: {page.why_store}"
    elif not page.verdicts:
        yield "measured", "nothing yet"
    for one in page.verdicts:
        yield one.kind, _verdict(one)
    if page.drift is not None:
        yield "drift", _drift(page.drift, page.at_wall_s)
    for left in page.restores:
        how = "runs now" if left.runs else "did not end, and LEFT SOMETHING SET"
        yield "restore", f"that of {left.key} of {left.service} {how}"
    yield "earned", _earned(page.earned)


def _nodes(page: FrontPage) -> Iterator[tuple[str, str]]:
    told = [(node.node, _node(node, page.at_wall_s)) for node in page.nodes]
    if len(told) <= _MOST_NODES:
        for name, words in told:
            yield "node", f"{name} {words}"
        return
    alike: dict[str, list[str]] = {}
    for name, words in told:
        alike.setdefault(words, []).append(name)
    for words, names in alike.items():
        yield "nodes", f"{', '.join(names)} {words}"


def _node(node: NodeStanding, now_wall_s: Seconds) -> str:
    if not node.answered:
        seen = node.last_seen_wall_s
        ever = f"last seen {_ago(now_wall_s, seen)}" if seen is not None else "never seen from here"
        return f"{node.why}; {ever}"
    if node.state is None:
        return f"answers; what is applied there is unknown: {node.why_state}"
    profile = "host profile applied" if node.profile else "no host profile"
    if node.state in {NodeState.INCOMPLETE, NodeState.UNCONFIRMED, NodeState.UNKNOWN}:
        profile = f"its last change is {node.state.value.upper()}"
    pins = f", {count_of(node.pins, 'place pin')}" if node.pins else ""
    return f"answers; {profile}{pins}"


def _verdict(one: VerdictStanding) -> str:
    said = f"is running: {one.owner}" if one.owner else one.verdict or f"no verdict, {one.state}"
    left = "; it LEFT SOMETHING SET" if one.holds and not one.owner else ""
    about = f"; {one.about}" if one.about else ""
    return f"{said}{left}{about} ({one.id}, {utc(one.created_wall_s)[:10]})"


def _drift(drift: DriftStanding, now_wall_s: Seconds) -> str:
    if drift.at_wall_s is None:
        return f"unknown: {drift.why or 'nobody looked yet'}"
    if drift.why:
        return f"{drift.why}; {_ago(now_wall_s, drift.at_wall_s)}: {drift.words}"
    return drift.words


def _earned(earned: EarnedStanding) -> str:
    if earned.why:
        return f"unknown: {earned.why}"
    if not earned.count:
        return "no setting yet"
    stale = f", {earned.stale} with stale evidence" if earned.stale else ", none known to be stale"
    return f"{count_of(earned.count, 'setting')}{stale}"


def _ago(now_wall_s: Seconds, then_wall_s: Seconds) -> str:
    past = now_wall_s - then_wall_s
    return f"{format_duration(past)} ago" if past >= 0 else f"at {utc(then_wall_s)}"


def _filled(name: str, words: str, width: int) -> Sequence[str]:
    return fold(one_line(words), width, indent=f"{name:<{_NAME}}", hang=" " * _NAME)
