"""What undoing left as it is, as the journal tells it: by the last revert, or because somebody gave it up."""

__all__ = ["give_up_advice", "left_by_last_revert", "left_section"]

from collections.abc import Iterator, Sequence

from sparktune.model.node_report import NodeReport
from sparktune.model.transaction import LeftItem, Transaction
from sparktune.report.host.layout import Look, Row, section, table
from sparktune.report.host.words import gathered_targets, thing_of

_HEADER = Row(word="change", target="what", value="was before; what became of it")
_OVER = frozenset({"reverted", "rolled_back", "given_up"})
_WORDS = {
    "foreign": "left as somebody else had it",
    "gone": "it was gone",
    "failed": "could not be put back",
}


def left_by_last_revert(transactions: Sequence[Transaction]) -> tuple[LeftItem, ...]:
    """Return what the last revert left, without what a later transaction has changed since."""
    over = [one for one in transactions if one.state in _OVER]
    if not over:
        return ()
    end = max(one.ended_ns for one in over)
    # All that began before are undone by one revert, after the last of them began.
    begin = max((one.began_ns for one in transactions if one.began_ns <= end), default=0)
    since = {(entry.kind, entry.item) for one in transactions if one.began_ns > end for entry in one.entries}
    items = [item for one in over if one.ended_ns >= begin for item in one.left]
    return tuple(item for item in items if (item.kind, item.item) not in since)


def left_section(title: str, items: Sequence[LeftItem], look: Look) -> list[str]:
    """Return a titled table, or nothing when nothing was left; the vectors of a device in one row."""
    return section(title, table(_HEADER, list(_rows(items)), look) if items else (), look)


def _rows(items: Sequence[LeftItem]) -> Iterator[Row]:
    groups: dict[tuple[object, ...], list[LeftItem]] = {}
    for item in items:
        groups.setdefault((item.change, thing_of(item.item), _said(item)), []).append(item)
    for (_, _, said), alike in groups.items():
        names = [item.item for item in alike]
        yield Row(word=alike[0].change, target=gathered_targets(names), value=str(said))


def _said(item: LeftItem) -> str:
    found = f" ({item.found})" if item.found is not None else ""
    why = f": {item.why}" if item.why and item.outcome == "failed" else ""
    word = _WORDS[item.outcome] if item.outcome != "failed" or item.why else "is not put back yet"
    before = "not there" if item.before is None else item.before
    return f"{before}; {word}{found}{why}"


def give_up_advice(reports: Sequence[NodeReport], look: Look) -> list[str]:
    """Return how to let go of transactions that cannot be undone, node by node; nothing where there are none."""
    names = [
        *(one.id for report in reports for one in report.transactions if _is_stuck(one)),
        *(one.transaction for report in reports for one in report.undone if one.state == "incomplete" and not one.why),
    ]
    alone = "" if len(reports) == 1 else " (with that node named alone)"
    return [f"when that will never be possible{alone}: {look.command(f'revert --give-up {name}')}" for name in names]


def _is_stuck(one: Transaction) -> bool:
    return one.state == "incomplete" and any(item.outcome == "failed" for item in one.left)
