"""What ``place status`` found: a row for each rule, pin and timer; lines for people, and JSON of schema 1."""

__all__ = ["PlacedView", "place_status_json", "place_status_text"]

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Protocol

from sparktune.model.pin import RuleRow, RuleState
from sparktune.report.bench.words import printable
from sparktune.units import count_of

_ORDER = (
    RuleState.NOT_PINNED,
    RuleState.CLIPPED,
    RuleState.UNREADABLE,
    RuleState.WAITING,
    RuleState.NO_PROCESS,
    RuleState.OK,
)


class PlacedView(Protocol):
    """One node, as flows.place_status has it."""

    @property
    def node(self) -> str:
        """Its name."""

    @property
    def rows(self) -> Sequence[RuleRow]:
        """What is pinned."""

    @property
    def failure(self) -> str:
        """Why it did not answer."""

    @property
    def hint(self) -> str:
        """What to do about that."""


def place_status_text(nodes: Sequence[PlacedView], *, where: str = "", final: bool = True) -> str:
    """Return the verdict of each node, then its rows, what differs first; ``final``: then what to do next."""
    lines = [line for node in nodes for line in (*_verdict(node), *_rows(node))]
    if final and any(node.rows for node in nodes):
        lines.append(f"to take it back: sparktune place unpin{f' {where}' if where else ''}")
    return "\n".join(printable(line) for line in lines) + "\n"


def place_status_json(nodes: Sequence[PlacedView]) -> str:
    """Return the document."""
    return json.dumps({"schema": 1, "nodes": [_node(node) for node in nodes]}, ensure_ascii=False, indent=2) + "\n"


def _verdict(node: PlacedView) -> Iterator[str]:
    if node.failure:
        yield f"{node.node}: not told: {node.failure.removeprefix(f'{node.node}: ')}"
        yield from (f"  fix: {node.hint}" for _ in [0] if node.hint)
    elif not node.rows:
        yield f"{node.node}: nothing is pinned here"
    else:
        numbers = Counter(row.state for row in node.rows)
        yield f"{node.node}: " + ", ".join(f"{numbers[state]} {state.value}" for state in _ORDER if numbers[state])


def _rows(node: PlacedView) -> Iterator[str]:
    for row in sorted(node.rows, key=lambda one: _ORDER.index(one.state)):
        lasting = "" if row.lasting else ", until it ends"
        yield f"  {row.state.value:<10}  {row.target}: wanted {row.wanted}{lasting} (transaction {row.transaction})"
        now = Counter(row.found.values())
        for cpus, number in now.items():
            many = f" ({count_of(number, 'thread')})" if number > 1 else ""
            yield f"              is {cpus}{many}"
        if row.why:
            yield f"              {row.why}"


def _node(node: PlacedView) -> dict[str, object]:
    return {
        "node": node.node,
        "error": node.failure or None,
        "hint": node.hint or None,
        "rows": [
            {
                "transaction": row.transaction,
                "target": row.target,
                "wanted": row.wanted,
                "state": row.state.value,
                "found": dict(row.found),
                "why": row.why or None,
                "lasting": row.lasting,
            }
            for row in node.rows
        ],
    }
