"""Drift and findings on the screen: what differs, worst first, and when that was asked."""

__all__ = ["asked_words", "doctor_title", "drift_title", "finding_items", "row_items"]

from collections import Counter
from collections.abc import Sequence

from sparktune.model.drift import DriftRow, DriftStatus
from sparktune.model.finding import Finding, Severity
from sparktune.report.bench.words import one_line
from sparktune.report.drift.verdict import drifted, layer_text
from sparktune.report.watch.marks import Line, Span, bad, good, plain, soft, warn
from sparktune.report.watch.node import Answered
from sparktune.report.watch.state import WatchState, key_of
from sparktune.units import Seconds, count_of, format_duration

_WORDS = {Severity.ERROR: "ERROR", Severity.WARNING: "WARNING", Severity.INFO: "NOTE"}


def asked_words(answered: Answered[DriftRow] | Answered[Finding], now_s: Seconds) -> str:
    """Return when a question was answered last, and when it is asked again."""
    if answered.at_s is None:
        return "asking now" if answered.asking else "not asked yet"
    words = f"asked {format_duration(now_s - answered.at_s)} ago"
    if answered.asking:
        return f"{words}, asking again now"
    if not answered.every_s:
        return f"{words}, again with r"
    return f"{words}, again in {format_duration(answered.at_s + answered.every_s - now_s)}"


def drift_title(state: WatchState, now_s: Seconds) -> Line:
    """Return whether anything has drifted, in one line."""
    one = state.drift
    if one is None:
        return (plain("drift   "), soft(f"not asked: {one_line(state.why_no_drift) or 'no service is named'}"))
    return (plain("drift   "), _drift_verdict(one), soft(f"  ({asked_words(one, now_s)})"))


def _drift_verdict(one: Answered[DriftRow]) -> Span:
    if one.why:
        return warn(f"unknown: {one_line(one.why)}")
    if one.items is None:
        return soft("unknown")
    apart = sum(map(drifted, one.items))
    closed = sum(row.status is DriftStatus.UNREADABLE for row in one.items)
    of = count_of(len(one.items), "row")
    if apart:
        return bad(f"{apart} of {of} {'differs' if apart == 1 else 'differ'}")
    if not one.items:
        return warn("there is nothing to compare")
    return warn(f"{closed} of {of} could not be read") if closed else good(f"none of {of} differs")


def doctor_title(state: WatchState, now_s: Seconds) -> Line:
    """Return what doctor found, in one line."""
    one = state.doctor
    if one is None:
        return (plain("doctor  "), soft(f"not asked: {one_line(state.why_no_doctor) or 'switched off'}"))
    return (plain("doctor  "), _doctor_verdict(one), soft(f"  ({asked_words(one, now_s)})"))


def _doctor_verdict(one: Answered[Finding]) -> Span:
    if one.items is None:
        return warn(f"unknown: {one_line(one.why)}") if one.why else soft("unknown")
    counts = Counter(finding.severity for finding in one.items)
    words = ", ".join(count_of(counts[severity], severity.value) for severity in Severity if counts[severity])
    words = words.replace("infos", "notes").replace("info", "note") or "nothing found"
    if one.why:
        return warn(f"{words}; {one_line(one.why)}")
    if counts[Severity.ERROR]:
        return bad(words)
    return warn(words) if counts[Severity.WARNING] else good(words)


def row_items(state: WatchState) -> tuple[Line, ...]:
    """Return a line for each row that has drifted or could not be read, drifted ones first."""
    items: Sequence[DriftRow] = (state.drift.items if state.drift is not None else None) or ()
    rows = [row for row in items if drifted(row)]
    rows += [row for row in items if not drifted(row) and row.status is DriftStatus.UNREADABLE]
    return tuple(_row(row, new=key_of(row) in state.new) for row in rows)


def _row(row: DriftRow, *, new: bool) -> Line:
    layers = (("earned", row.earned), ("file", row.file), ("live", row.live))
    said = ", ".join(f"{name} {layer_text(one)}" for name, one in layers if one is not None)
    if row.status is DriftStatus.UNREADABLE:
        said = next((one.why for one in (row.live, row.file) if one is not None and one.why), row.why)
    mark = (bad if drifted(row) else warn)(f"{row.status.value:<12} ")
    words = f"{row.key.removeprefix('env.')} on {row.node}: {said or row.why}"
    return (*_new(new=new), mark, plain(one_line(words)))


def finding_items(state: WatchState) -> tuple[Line, ...]:
    """Return a line for each finding, worst first; notes too."""
    items: Sequence[Finding] = (state.doctor.items if state.doctor is not None else None) or ()
    return tuple(_finding(one, new=key_of(one) in state.new) for one in items)


def _finding(one: Finding, *, new: bool) -> Line:
    word = f"{_WORDS[one.severity]:<8} "
    mark = {Severity.ERROR: bad, Severity.WARNING: warn, Severity.INFO: soft}[one.severity](word)
    return (*_new(new=new), mark, plain(f"{one.rule} {one_line(one.node or 'all nodes')}: {one_line(one.evidence)}"))


def _new(*, new: bool) -> Line:
    return (warn("NEW "),) if new else ()
