"""The whole screen from the state: what is shown in so many columns and rows, and what gives way when there are few."""

__all__ = ["Choice", "Panel", "View", "ruled", "view_of"]

from dataclasses import dataclass
from typing import Final

from sparktune.model.finding import Severity
from sparktune.report.bench.words import one_line
from sparktune.report.watch.asked_panel import doctor_title, drift_title, finding_items, row_items
from sparktune.report.watch.engine_panel import engine_lines, engine_title
from sparktune.report.watch.marks import Glyphs, Line, Role, Span, cut, soft, warn, wrapped
from sparktune.report.watch.node_panel import node_lines, overview_line, thread_line
from sparktune.report.watch.state import NodeState, WatchState
from sparktune.units import Seconds, format_duration

_LEAST_OVERVIEW: Final = 3
_FIRST_THREADS: Final = 3
_INDENT: Final = 8
_BESIDE: Final = 19  # rows of a node, an engine, drift and findings with their rules, without which little is told


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What the person chose, and what the terminal is; ``paused_s`` is how long the screen stands still, or None."""

    node: int = 0
    paused_s: Seconds | None = None
    ascii_only: bool = False
    columns: int = 80
    rows: int = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """Lines under a rule with a title; without a title there is no rule."""

    title: str = ""
    lines: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The panels from the top down. ``status`` is the first line of the screen."""

    status: Line
    nodes: Panel
    node: Panel
    engine: Panel
    asked: Panel

    @property
    def panels(self) -> tuple[Panel, ...]:
        """All panels, from the top down."""
        return (self.nodes, self.node, self.engine, self.asked)


def view_of(state: WatchState, choice: Choice, now_s: Seconds) -> View:
    """Return what the screen shows: at most ``choice.rows`` rows with status and rules, without the row of keys."""
    glyphs = Glyphs.of(ascii_only=choice.ascii_only)
    place = choice.node % len(state.nodes) if state.nodes else 0
    chosen = state.nodes[place] if state.nodes else None
    overview = _overview(state, choice, place, now_s)
    body = node_lines(chosen, glyphs, now_s=now_s, interval_s=state.interval_s) if chosen else ()
    # A reason is worth a second row: its end says what to do.
    body, engine = _broken(body, choice), _broken(engine_lines(state), choice)
    threads, rows, findings = _fit(
        choice.rows - 1 - len(overview) - 1 - len(body) - 1 - len(engine) - 1 - 2,
        _threads(chosen),
        row_items(state),
        _worth_a_row(state),
    )
    asked = (drift_title(state, now_s), *_indented(rows), doctor_title(state, now_s), *_indented(findings))
    name = one_line(chosen.node.name) if chosen else "nodes"
    return _within(
        View(
            status=_status(state, choice, place),
            nodes=Panel(lines=overview),
            node=Panel(title=f"{name}{_missed(chosen)}", lines=(*body, *threads)),
            engine=Panel(title=engine_title(state), lines=engine),
            asked=Panel(title="drift and findings", lines=asked),
        ),
        choice,
    )


def _broken(lines: tuple[Line, ...], choice: Choice) -> tuple[Line, ...]:
    return tuple(part for line in lines for part in wrapped(line, choice.columns, indent=_INDENT))


def _within(view: View, choice: Choice) -> View:
    """Cut lines to the width, and from the bottom what is beyond the height."""
    left = choice.rows - 1
    panels = []
    for panel in view.panels:
        left -= 1 if panel.title else 0
        lines = tuple(cut(line, choice.columns) for line in panel.lines[: max(0, left)])
        panels.append(Panel(title=panel.title, lines=lines) if left >= 0 else Panel())
        left -= len(lines)
    nodes, node, engine, asked = panels
    return View(status=cut(view.status, choice.columns), nodes=nodes, node=node, engine=engine, asked=asked)


def _status(state: WatchState, choice: Choice, place: int) -> Line:
    failed = sum(bool(one.node.failure) for one in state.nodes)
    count = len(state.nodes)
    words = (
        f"sparktune watch  node {place + 1} of {count}, every {state.interval_s:g} s" if count else "sparktune watch"
    )
    spans: list[Span] = [Span(words, Role.HEAD)]
    if failed:
        spans.append(Span(f"  {failed} without an answer", Role.BAD))
    if choice.paused_s is not None:
        spans.append(warn(f"  PAUSED for {format_duration(choice.paused_s)}: p goes on"))
    return tuple(spans)


def _overview(state: WatchState, choice: Choice, place: int, now_s: Seconds) -> tuple[Line, ...]:
    """Return a line for each node, or for as many around the chosen one as there is room for; none for one node."""
    if len(state.nodes) <= 1:
        return ()
    lines = [
        overview_line(one, chosen=at == place, now_s=now_s, interval_s=state.interval_s)
        for at, one in enumerate(state.nodes)
    ]
    room = max(_LEAST_OVERVIEW, choice.rows - _BESIDE)
    if len(lines) <= room:
        return tuple(lines)
    begin = min(max(0, place - (room - 1) // 2), len(lines) - (room - 1))
    hidden = [one for at, one in enumerate(state.nodes) if not begin <= at < begin + room - 1]
    failed = sum(bool(one.node.failure) for one in hidden)
    more = f"  and {len(hidden)} more nodes" + (f", {failed} of them without an answer" if failed else "")
    return (*lines[begin : begin + room - 1], (warn(more) if failed else soft(more),))


def _threads(chosen: NodeState | None) -> tuple[Line, ...]:
    if chosen is None or chosen.node.frame is None:
        return ()
    return tuple(thread_line(one, chosen.node.split) for one in chosen.node.frame.threads)


def _worth_a_row(state: WatchState) -> tuple[Line, ...]:
    """Return the findings that are no notes; these are on the page of findings."""
    known = (state.doctor.items if state.doctor is not None else None) or ()
    return tuple(
        line for one, line in zip(known, finding_items(state), strict=True) if one.severity is not Severity.INFO
    )


_Lines = tuple[Line, ...]


def _fit(room: int, threads: _Lines, rows: _Lines, findings: _Lines) -> tuple[_Lines, _Lines, _Lines]:
    """Share the rows that are left: the hottest threads first, then drift, then findings, then the other threads."""
    left = max(0, room)
    first = min(left, len(threads), _FIRST_THREADS)
    left -= first
    # One row is kept for a finding, so that much drift does not hide all of them.
    kept = min(len(findings), 1) if left > 1 else 0
    shown = min(left - kept, len(rows))
    left -= shown
    found = min(left, len(findings))
    left -= found
    return threads[: first + left], _shortened(rows, shown, "d"), _shortened(findings, found, "f")


def _shortened(lines: _Lines, room: int, key: str) -> _Lines:
    if len(lines) <= room or room <= 1:
        return lines[:room]  # one row is worth more with the worst of them than with a number
    return (*lines[: room - 1], (soft(f"and {len(lines) - room + 1} more: {key} shows all"),))


def _indented(lines: _Lines) -> _Lines:
    return tuple((soft("  "), *line) for line in lines)


def _missed(chosen: NodeState | None) -> str:
    frame = chosen.node.frame if chosen else None
    return f", {frame.missed} looks missed" if frame is not None and frame.missed else ""


def ruled(title: str, columns: int, rule: str) -> str:
    """Return a rule over the width with a title in it."""
    named = f"{rule * 2} {title[: max(0, columns - 6)]} "
    return named + rule * (columns - len(named))
