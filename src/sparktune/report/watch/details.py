"""Pages behind the keys: threads, drift, findings, and what the keys do."""

__all__ = ["KEYS", "PAGE_KEYS", "key_row", "page_of"]

from collections.abc import Iterator, Sequence
from typing import Final

from sparktune.host.findings import all_rules
from sparktune.model.drift import DriftRow, DriftStatus
from sparktune.model.finding import Finding
from sparktune.report.bench.words import one_line
from sparktune.report.drift.verdict import drifted, verdict
from sparktune.report.watch.asked_panel import asked_words, finding_items, row_items
from sparktune.report.watch.marks import Line, Role, Span, bad, plain, soft, wrapped
from sparktune.report.watch.node_panel import thread_line
from sparktune.report.watch.state import WatchState
from sparktune.units import Seconds

KEYS: Final = (
    ("q", "quit", "quit"),
    ("?", "help", "this page"),
    ("n", "next", "next node"),
    ("b", "", "node before"),
    ("t", "threads", "the hottest threads of all nodes"),
    ("d", "drift", "drift: each row that differs, why, and the next step"),
    ("f", "findings", "what doctor found, why it matters, and the fix"),
    ("r", "ask", "ask drift and doctor again now"),
    ("p", "pause", "let the screen stand still; nodes are looked at on"),
    ("esc", "", "leave a page"),
)
"""Keys, what the last row of the screen calls them ("" does not), and what they do."""

_HELP: Final = (
    "fast, slow   a letter for each core, from idle to full; ? where the load is not known",
    "memory       one pool for CPU and GPU: MemAvailable against the guard line of sparktune guard",
    "heat, GPU    what the node's sensors and nvidia-smi tell; unknown where they do not",
    "engine       what the server counts, of all its clients: rates and means of the last seconds",
    "TTFT         a mean as the server counts it, from its queue on; sparktune bench measures it",
    "drift        asked in the background; the same as sparktune drift",
    "doctor       asked in the background; the same as sparktune doctor",
    "NEW          was not there when it was asked before",
)


def _help_page(_state: WatchState, _now_s: Seconds) -> tuple[Line, ...]:
    """Return the keys, and what the words mean."""
    keys = [(Span(f"{key:<13}", Role.HEAD), plain(what)) for key, _, what in KEYS]
    more = (Span(f"{'arrows':<13}", Role.HEAD), plain("next node, node before; in a page: scroll"))
    return (*keys, more, (), *((plain(line),) for line in _HELP))


def _threads_page(state: WatchState, _now_s: Seconds) -> tuple[Line, ...]:
    """Return the hottest threads of every node."""
    return tuple(line for one in state.nodes for line in _threads(state, one.node.name))


def _threads(state: WatchState, name: str) -> Iterator[Line]:
    node = next(one.node for one in state.nodes if one.node.name == name)
    yield (Span(one_line(name), Role.HEAD),)
    if node.failure:
        yield (bad("  no answer"), plain(f": {one_line(node.failure)}"))
    elif node.frame is None:
        yield (soft("  waiting for the second look"),)
    elif not node.frame.threads:
        yield (soft("  no thread took 5 % of a core or more"),)
    else:
        yield from ((plain("  "), *thread_line(one, node.split)) for one in node.frame.threads)


def _drift_page(state: WatchState, now_s: Seconds) -> tuple[Line, ...]:
    """Return every row that differs or could not be read, with its reason, its places and the next step."""
    one = state.drift
    if one is None:
        return ((soft(f"not asked: {one_line(state.why_no_drift) or 'no service is named'}"),),)
    if one.items is None:
        return ((plain(one_line(one.why) or asked_words(one, now_s)),),)
    rows = [row for row in one.items if drifted(row)]
    rows += [row for row in one.items if not drifted(row) and row.status is DriftStatus.UNREADABLE]
    lines: list[Line] = [(Span(one_line(verdict(one.items)), Role.HEAD),), (soft(asked_words(one, now_s)),), ()]
    for row, line in zip(rows, row_items(state), strict=True):
        lines += [line, *_row_details(row), ()]
    return tuple(lines)


def _row_details(row: DriftRow) -> Iterator[Line]:
    if row.why:
        yield (plain(f"    {one_line(row.why)}"),)
    layers = (("earned", row.earned), ("file", row.file), ("echoed", row.echoed), ("live", row.live))
    places = ", ".join(f"{name} from {one_line(one.place)}" for name, one in layers if one is not None and one.place)
    if places:
        yield (soft(f"    {places}"),)
    if row.hint:
        yield (soft("    next: "), plain(one_line(row.hint)))


def _findings_page(state: WatchState, now_s: Seconds) -> tuple[Line, ...]:
    """Return every finding with its reason and its fix."""
    one = state.doctor
    if one is None:
        return ((soft(f"not asked: {one_line(state.why_no_doctor) or 'switched off'}"),),)
    if one.items is None:
        return ((plain(one_line(one.why) or asked_words(one, now_s)),),)
    why = {rule.id: rule.why for rule in all_rules()}
    lines: list[Line] = [(soft(asked_words(one, now_s)),), ()]
    for finding, line in zip(one.items, finding_items(state), strict=True):
        lines += [line, *_finding_details(finding, why), ()]
    return tuple(lines) if one.items else (*lines, (plain("nothing found"),))


def _finding_details(finding: Finding, why: dict[str, str]) -> Sequence[Line]:
    reason = why.get(finding.rule, "")
    return (
        *(((soft("    why: "), plain(one_line(reason))),) if reason else ()),
        (soft("    fix: "), plain(one_line(finding.hint))),
    )


_PAGES: Final = {
    "t": ("threads", _threads_page),
    "d": ("drift", _drift_page),
    "f": ("findings", _findings_page),
    "?": ("help", _help_page),
}
PAGE_KEYS: Final = {key: title for key, (title, _) in _PAGES.items()}
"""Titles of pages by their keys."""

_INDENT: Final = 9


def page_of(key: str, state: WatchState, now_s: Seconds, *, columns: int) -> tuple[Line, ...]:
    """Return the lines of a page, none longer than the screen is wide but for single words."""
    _, lines_of = _PAGES[key]
    return tuple(part for line in lines_of(state, now_s) for part in wrapped(line, columns, indent=_INDENT))


def key_row(*, page: bool) -> Line:
    """Return the last row of the screen, on a page or not."""
    first = (("esc", "back"), ("up/down", "scroll")) if page else ()
    keys = [*first, *((key, label) for key, label, _ in KEYS if label and not (page and key in "npr"))]
    return tuple(span for key, label in keys for span in (Span(key, Role.HEAD), plain(f" {label}  ")))
