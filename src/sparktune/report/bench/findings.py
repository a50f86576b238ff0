"""What a reader must know before the numbers: the verdict, checks grouped over cells, failures, what is unknown."""

__all__ = ["Finding", "Gap", "failures", "findings", "flags", "gaps", "next_commands", "quiet_checks", "verdict"]

from dataclasses import dataclass

from sparktune.model.check import Status
from sparktune.model.result import CellResult, RunResult
from sparktune.model.run import RunState
from sparktune.report.bench.words import compares_nothing, listed, one_line
from sparktune.units import count_of

_WORST_FIRST = (Status.INVALID, Status.WARN, Status.UNKNOWN)
_STATES = {
    RunState.RUNNING: "the run has not ended",
    RunState.INTERRUPTED: "the run was interrupted",
    RunState.FAILED: "the run failed",
}
_FAILURES_SHOWN = 3
_RATES = ("decode_tok_s", "output_tok_s", "prefill_tok_s")
_SHOWN = {Status.INVALID: 3, Status.WARN: 3, Status.UNKNOWN: 1}  # pieces of evidence, when cells differ in it


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Checks with the same answer in the same cells; ``lines`` are the distinct pieces of evidence."""

    ids: str
    status: Status
    where: str
    lines: tuple[str, ...]
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Metrics of the table that are unknown in the same cells for the same reason."""

    titles: str
    where: str
    why: str


def verdict(result: RunResult) -> str:
    """Say in one line how much of the run can be used."""
    cells = result.cells
    bad = [f"{row.cell.label}{_culprits(row)}" for row in cells if row.trials and not row.valid]
    never = [row.cell.label for row in cells if not row.trials]
    parts = [f"{len(cells) - len(bad) - len(never)} of {count_of(len(cells), 'cell')} valid"]
    if bad:
        parts.append(f"not valid: {listed(bad)}")
    if never:
        parts.append(f"not measured: {listed(never)}")
    parts += _unrated(result)
    failed, requests = sum(sum(row.failures.values()) for row in cells), sum(row.requests for row in cells)
    parts.append(f"{failed:,} of {count_of(requests, 'request')} failed" if failed else "no request failed")
    if result.run.state in _STATES:
        parts.append(_STATES[result.run.state])
    return "; ".join(parts)


def _unrated(result: RunResult) -> list[str]:
    """Say that a valid cell answers no question of speed when none of its rates is known."""
    measured = [row for row in result.cells if row.trials]
    unrated = [row.cell.label for row in measured if _has_no_rate(row)]
    if not unrated:
        return []
    return ["rates unknown" if len(unrated) == len(measured) else f"rates unknown: {listed(unrated)}"]


def _has_no_rate(row: CellResult) -> bool:
    rates = [metric for name in _RATES if (metric := row.metric(name)) is not None]
    return bool(rates) and all(rate.median is None for rate in rates)


def findings(result: RunResult) -> tuple[Finding, ...]:
    """Group the answers that are not OK, worst first: over cells, and over checks that say the same."""
    groups: dict[tuple[int, str], list[tuple[CellResult, str, str]]] = {}
    for row in result.cells:
        for check in row.checks:
            if check.status in _WORST_FIRST:
                key = (_WORST_FIRST.index(check.status), check.id)
                groups.setdefault(key, []).append((row, one_line(check.evidence), one_line(check.hint)))
    alike: dict[tuple[Status, str, tuple[str, ...], str], list[str]] = {}
    for (place, check_id), found in sorted(groups.items()):
        status = _WORST_FIRST[place]
        lines = _evidence([(row.cell.label, evidence) for row, evidence, _ in found], _SHOWN[status])
        hint = next((hint for _, _, hint in found if hint), "")
        alike.setdefault((status, _where(result, [row for row, _, _ in found]), lines, hint), []).append(check_id)
    return tuple(
        Finding(ids=", ".join(ids), status=status, where=where, lines=lines, hint=hint)
        for (status, where, lines, hint), ids in alike.items()
    )


def quiet_checks(result: RunResult) -> tuple[str, ...]:
    """Return the checks that are OK in every cell in which they ran."""
    answers: dict[str, set[Status]] = {}
    for row in result.cells:
        for check in row.checks:
            answers.setdefault(check.id, set()).add(check.status)
    return tuple(sorted(check_id for check_id, statuses in answers.items() if statuses == {Status.OK}))


def flags(row: CellResult) -> str:
    """Return what a table's row must say about itself, or ""."""
    marks = [f"{check.id} {check.status.value}" for check in row.checks if check.status in _WORST_FIRST[:2]]
    if not row.valid and not any(check.status is Status.INVALID for check in row.checks):
        marks.insert(0, "invalid")
    if not row.trials:
        marks.append("not measured")
    elif row.trials < row.trials_asked:
        marks.append(f"{row.trials} of {count_of(row.trials_asked, 'trial')}")
    failed = sum(row.failures.values())
    if failed:
        marks.append(f"{failed:,} failed")
    if row.label:
        marks.append(row.label)
    return ", ".join(marks)


def failures(result: RunResult) -> tuple[str, ...]:
    """Return the failed requests of each cell: how many, and in whose words; the rarest words are only counted."""
    lines = []
    for row in result.cells:
        if not row.failures:
            continue
        types = ", ".join(f"{one_line(kind)} {number:,}" for kind, number in row.failures.items())
        failed = sum(row.failures.values())
        lines.append(f"{row.cell.label}: {failed:,} of {count_of(row.requests, 'request')}: {types}")
        told = list(row.failure_words.items())
        lines += [f"{number:,} x {one_line(words)}" for words, number in told[:_FAILURES_SHOWN]]
        if told[_FAILURES_SHOWN:]:
            lines.append(f"and {sum(number for _, number in told[_FAILURES_SHOWN:]):,} in other words")
    return tuple(lines)


def gaps(result: RunResult) -> tuple[Gap, ...]:
    """Group the unknown numbers of the table by metric and reason; a comparison of one stream is no gap."""
    rows: dict[tuple[str, str], list[CellResult]] = {}
    for row in result.cells:
        for metric in row.metrics:
            if metric.in_table and metric.median is None and not compares_nothing(metric, row.cell):
                why = one_line(metric.why) or "no reason was given"
                rows.setdefault((one_line(metric.title), why), []).append(row)
    titles: dict[tuple[str, str], list[str]] = {}
    for (title, why), found in rows.items():
        titles.setdefault((_where(result, found), why), []).append(title)
    return tuple(Gap(titles=", ".join(names), where=where, why=why) for (where, why), names in titles.items())


def next_commands(result: RunResult, *, resume_told: bool = False) -> tuple[str, ...]:
    """Return what is useful after this result: finishing it (unless that is told elsewhere), or a page of it."""
    run_id = one_line(result.run.id)
    unfinished = not resume_told and any(row.trials < row.trials_asked for row in result.cells)
    resume = (f"sparktune bench --resume {run_id}",) if unfinished else ()
    return (*resume, f"sparktune runs report {run_id}")


def _culprits(row: CellResult) -> str:
    ids = [check.id for check in row.checks if check.status is Status.INVALID]
    return f" ({', '.join(ids)})" if ids else ""


def _where(result: RunResult, rows: list[CellResult]) -> str:
    if len(rows) == len(result.cells) > 1:
        return f"all {len(rows)} cells" if rows[2:] else "both cells"
    names = listed([row.cell.label for row in rows])
    return names if len(rows) == 1 else f"{len(rows)} cells: {names}"


def _evidence(told: list[tuple[str, str]], most: int) -> tuple[str, ...]:
    distinct = dict.fromkeys(evidence for _, evidence in told)
    if len(distinct) == 1:
        return tuple(distinct)
    first = {evidence: label for label, evidence in reversed(told)}
    lines = [f"{first[evidence]}: {evidence}" for evidence in distinct]
    more = len(lines) - most
    return (*lines[:most], f"and {more} more like {'this' if most == 1 else 'these'}") if more > 0 else tuple(lines)
