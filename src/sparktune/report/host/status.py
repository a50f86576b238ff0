"""What the journal of each node says: what is applied since when, what was there before, and who works there now."""

__all__ = ["status_text"]

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from sparktune.model.host_plan import CheckStatus
from sparktune.model.node_report import NodeReport, NodeState
from sparktune.model.transaction import JournalEntry, LeftItem, Transaction
from sparktune.report.bench.words import utc
from sparktune.report.host.layout import Body, Look, Row, Tone, assembled, section, table
from sparktune.report.host.left import give_up_advice, left_by_last_revert, left_section
from sparktune.report.host.verify import check_blocks
from sparktune.report.host.words import gathered_targets, thing_of, transition
from sparktune.units import NS_PER_S, count_of

_APPLIED = frozenset({"committed", "unconfirmed"})
_UNFINISHED = frozenset({"open", "incomplete"})
_OVER = frozenset({"reverted", "rolled_back"})
_MOST_OVER = 5
_STATES = {
    "open": "OPEN",
    "committed": "applied",
    "unconfirmed": "UNCONFIRMED",
    "rolled_back": "rolled back",
    "reverted": "reverted",
    "incomplete": "INCOMPLETE",
    "given_up": "GIVEN UP",
}
_LEFT = "not brought back by the last revert, and how it was found then"
_UNDONE = "could not be put back so far; it is tried again with every apply and revert"
_HEADER = Row(word="state", target="transaction", value="when, who, what")
_ENTRY_HEADER = Row(word="change", target="what", value="before -> after")


def status_text(reports: Sequence[NodeReport], *, look: Look) -> str:
    """Return where all nodes stand."""
    return assembled(reports, _verdict, lambda report: _body(report, look), look, after=_next(reports, look))


def _verdict(report: NodeReport) -> tuple[str, Tone]:
    if report.failure:
        return "no answer", Tone.BAD
    holder = f"; {report.holder} works on it now" if report.holder else ""
    unfinished = [one for one in report.transactions if one.state in _UNFINISHED]
    if unfinished or report.state in {NodeState.INCOMPLETE, NodeState.UNKNOWN}:
        return f"{count_of(len(unfinished), 'transaction')} not finished, see below{holder}", Tone.BAD
    applied = [one for one in report.transactions if one.state in _APPLIED]
    if not applied:
        left = len(left_by_last_revert(report.transactions))
        said = f"; the last revert left {count_of(left, 'item')}, see below" if left else ""
        return f"nothing is applied{said}{holder}", Tone.WARN if left else Tone.GOOD
    named = [str(one.profile.get("name", "")) for one in applied if one.profile]
    what = f"profile {named[-1]}" if named and named[-1] else count_of(len(applied), "transaction")
    said = f"{what} applied since {_time(applied[0].began_ns)}{_waiting(report)}"
    if any(one.state == "unconfirmed" for one in applied):
        return f"{said}, UNCONFIRMED: it is taken back unless confirmed{holder}", Tone.WARN
    return said + holder, Tone.WARN if _waiting(report) else Tone.GOOD


def _waiting(report: NodeReport) -> str:
    numbers = Counter(check.status for check in report.checks or ())
    wrong = sum(numbers.values()) - numbers[CheckStatus.OK] - numbers[CheckStatus.PENDING_REBOOT]
    parts = [
        f"{count_of(wrong, 'state')} not as wanted" if wrong else "",
        f"{numbers[CheckStatus.PENDING_REBOOT]} waiting for a reboot" if numbers[CheckStatus.PENDING_REBOOT] else "",
    ]
    return "".join(f", {part}" for part in parts if part)


def _body(report: NodeReport, look: Look) -> Body:
    open_checks = [check for check in report.checks or () if check.status is not CheckStatus.OK]
    return [
        _listed(report.transactions, look),
        _changed(report.transactions, look),
        left_section(_UNDONE, [item for one in report.transactions for item in one.left if _is_open(one, item)], look),
        left_section(_LEFT, left_by_last_revert(report.transactions), look),
        check_blocks(open_checks, look),
    ]


def _listed(transactions: Sequence[Transaction], look: Look) -> list[str]:
    """Return a line for each transaction; of the many that are over after an evening of experiments, the last few."""
    over = [one.id for one in transactions if one.state in _OVER]
    older = frozenset(over[:-_MOST_OVER])
    if not transactions:
        return []
    lines = table(_HEADER, [_row(one) for one in transactions if one.id not in older], look, indent="")
    more = f"and {count_of(len(older), 'older one')}, taken back; --json has all" if older else ""
    return ["\n".join([*lines, *([more] if more else [])])]


def _is_open(one: Transaction, item: LeftItem) -> bool:
    return one.state == "incomplete" and item.outcome == "failed"


def _changed(transactions: Sequence[Transaction], look: Look) -> list[str]:
    # Of one that is incomplete some is undone; the rest is in the next section.
    entries = _first_and_last([one for one in transactions if one.state in _APPLIED | {"open"}])
    title = "changed by what is applied; what was there before comes back with revert"
    return section(title, table(_ENTRY_HEADER, list(_entry_rows(entries)), look) if entries else (), look)


def _row(one: Transaction) -> Row:
    who = f" by {one.who}" if one.who else ""
    until = f", takes itself back at {_time(one.confirm_by_ns)}" if one.state == "unconfirmed" else ""
    said = f"{_time(one.began_ns)}{who}, {one.label or 'apply'}, {count_of(len(one.entries), 'item')}{until}"
    return Row(word=_STATES[one.state], target=one.id, value=said)


def _first_and_last(applied: Sequence[Transaction]) -> list[JournalEntry]:
    """Return an entry per item: what was there before the first transaction, and what the last one left."""
    found: dict[tuple[str, str], JournalEntry] = {}
    for one in applied:
        for entry in one.entries:
            first = found.get((entry.kind, entry.item), entry)
            found[entry.kind, entry.item] = JournalEntry(
                change=entry.change, kind=entry.kind, item=entry.item, before=first.before, after=entry.after
            )
    return [entry for entry in found.values() if entry.before != entry.after]


def _entry_rows(entries: Sequence[JournalEntry]) -> Iterator[Row]:
    groups: dict[tuple[object, ...], list[JournalEntry]] = {}
    for entry in entries:
        device = thing_of(entry.item)
        alike = device if device != entry.item else ("", entry.before)
        groups.setdefault((entry.change, entry.after, alike), []).append(entry)
    for found in groups.values():
        yield Row(
            word=found[0].change,
            target=gathered_targets([entry.item for entry in found]),
            value=transition((_value(entry.before) for entry in found), _value(found[0].after)),
        )


def _value(value: str | None) -> str:
    return "not there" if value is None else value


def _time(wall_ns: int) -> str:
    return utc(wall_ns / NS_PER_S) if wall_ns else "unknown"


def _next(reports: Sequence[NodeReport], look: Look) -> list[str]:
    states: Mapping[str, int] = Counter(one.state for report in reports for one in report.transactions)
    lines = []
    if any(states.get(state) for state in _UNFINISHED):
        lines.append(f"to take back what was begun: {look.command('revert')}")
        lines += give_up_advice(reports, look)
    if states.get("unconfirmed"):
        lines.append(f"to keep what is unconfirmed: {look.command('confirm')}")
    if states.get("committed"):
        lines += [f"is it still so? {look.command('verify')}", f"to take it all back: {look.command('revert')}"]
    return lines
