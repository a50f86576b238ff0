"""What rules of tables share: how findings become one answer, and the questions that several of them ask of a table."""

__all__ = [
    "ONE_ARM",
    "CellKey",
    "Finding",
    "by_cell",
    "concurrency_of",
    "facts_number",
    "grouped",
    "key_of",
    "listed",
    "make_table_check",
    "median_of",
    "other_arms",
    "output_tokens_of",
    "prompt_tokens_of",
    "row_words",
    "setting_of",
    "shared_cells",
    "unknown",
]

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from statistics import median

from sparktune.bench.finding import Finding, severity
from sparktune.model.check import CheckResult, Status
from sparktune.model.table import Row, Table
from sparktune.model.table_check import TableCheck, TableContext
from sparktune.units import Tokens

CellKey = tuple[Tokens | None, Tokens | None, Tokens | None, int | None, str, str]
ONE_ARM = "one arm: there is nothing to compare"
_SHOWN = 4


Judge = Callable[[Table, TableContext], Sequence[Finding]]
Voids = Callable[[Table, TableContext], frozenset[int]]


def make_table_check(
    check_id: str, title: str, judge: Judge, *, source: str, voids: Voids = lambda _, __: frozenset()
) -> TableCheck:
    """Return a rule that answers with the worst of the findings; without one, there was nothing to ask about."""

    def run(table: Table, context: TableContext) -> CheckResult:
        try:
            findings = judge(table, context) if table.rows or table.facts else []
        except ArithmeticError as error:
            findings = [unknown(f"the numbers are too large or too small to be compared: {error}")]
        found = _worst(findings) if findings else unknown("the table has no rows")
        hint = "" if found.status is Status.OK else found.hint
        return CheckResult(id=check_id, status=found.status, evidence=found.evidence, hint=hint, label=found.label)

    def voided(table: Table, context: TableContext) -> frozenset[int]:
        try:
            return voids(table, context)
        except ArithmeticError:
            return frozenset()

    return TableCheck(id=check_id, title=title, source=source, run=run, voids=voided)


def unknown(evidence: str, hint: str = "") -> Finding:
    """Return the answer to a question that the table leaves open."""
    return Finding(status=Status.UNKNOWN, evidence=evidence, hint=hint)


def other_arms(table: Table) -> tuple[tuple[str, str], ...]:
    """Return the comparisons: the first arm with every other one."""
    arms = table.measured_arms
    return tuple((arms[0], arm) for arm in arms[1:])


def key_of(row: Row) -> CellKey:
    """Return what two rows must have in common to be compared."""
    return (row.prompt_tokens, row.output_tokens, row.depth, row.concurrency, row.label, row.prompt_id)


def by_cell(table: Table, arm: str) -> Mapping[CellKey, tuple[Row, ...]]:
    """Return the rows of an arm by cell, in the table's order."""
    found: dict[CellKey, list[Row]] = {}
    for row in table.rows:
        if row.arm == arm:
            found.setdefault(key_of(row), []).append(row)
    return {key: tuple(rows) for key, rows in found.items()}


def shared_cells(table: Table, first: str, second: str) -> tuple[tuple[tuple[Row, ...], tuple[Row, ...]], ...]:
    """Return the rows of cells that both arms have."""
    one, other = by_cell(table, first), by_cell(table, second)
    return tuple((one[key], other[key]) for key in one if key in other)


def median_of(rows: Sequence[Row], metric: str) -> float | None:
    """Return a metric's median over rows, None where no row has it."""
    values = [row.values[metric] for row in rows if metric in row.values]
    return median(values) if values else None


def prompt_tokens_of(row: Row) -> Tokens | None:
    """Return a row's prompt: as it was asked for, else as it was sent."""
    sent = row.values.get("prompt_tokens")
    return row.prompt_tokens if row.prompt_tokens is not None else None if sent is None else round(sent)


def output_tokens_of(row: Row) -> float | None:
    """Return a row's answer in tokens: as it was written, else as it was asked for."""
    return row.values.get("output_tokens", None if row.output_tokens is None else float(row.output_tokens))


def concurrency_of(row: Row) -> int:
    """Return how many streams a row has; a table that does not say has one."""
    return row.concurrency or 1


def row_words(row: Row) -> str:
    """Name a row's cell in a few words: ``8192 tokens x 4``, or as the source names it."""
    prompt = prompt_tokens_of(row)
    parts = [row.prompt_id[:40] or row.label[:40]]
    if prompt is not None and not row.prompt_id:
        parts.append(f"{prompt} tokens" + (f" at depth {row.depth}" if row.depth else ""))
    words = ", ".join(part for part in parts if part) or "all rows"
    return f"{words} x {row.concurrency}" if row.concurrency is not None and not row.prompt_id else words


def grouped(rows: Sequence[Row]) -> list[str]:
    """Name the cells of several rows, those of one shape and arm together: ``8192 tokens x 2, 4 (off)``."""
    shapes: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        streams = str(row.concurrency) if row.concurrency is not None and not row.prompt_id else ""
        words = row_words(replace(row, concurrency=None))
        shapes.setdefault((words, row.arm), []).append(streams)
    return [
        words + (f" x {', '.join(dict.fromkeys(found))}" if any(found) else "") + (f" ({arm})" if arm else "")
        for (words, arm), found in shapes.items()
    ]


def listed(words: Sequence[str], shown: int = _SHOWN) -> str:
    """Join a few, and count the rest."""
    unique = list(dict.fromkeys(words))
    rest = len(unique) - shown
    return ", ".join(unique[:shown]) + (f" and {rest} more" if rest > 0 else "")


def setting_of(table: Table, arm: str, *names: str) -> float | None:
    """Return the first of some settings of an arm, or facts of the table, that is a number."""
    settings = table.settings.get(arm, {})
    for name in names:
        for text in (settings.get(name), table.facts.get(name)):
            value = _number(text)
            if value is not None:
                return value
    return None


def facts_number(table: Table, name: str) -> float | None:
    """Return a fact of the table that is a number."""
    return _number(table.facts.get(name))


def _number(text: str | None) -> float | None:
    try:
        value = float((text or "").replace(",", ""))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _worst(findings: Sequence[Finding]) -> Finding:
    ordered = sorted(findings, key=severity, reverse=True)
    found = ordered[0]
    alike = [other.evidence for other in ordered if other.status is found.status]
    label = next((finding.label for finding in ordered if finding.label), "")
    return replace(found, evidence="; ".join(dict.fromkeys(alike)), label=label)
