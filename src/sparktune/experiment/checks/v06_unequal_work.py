"""V06: the arms did not do the same work.

Looks at: prompt and output tokens as they were sent and written, in cells of both arms; beside what was asked for.
Warns when: answers differ by more than 2 % and only rates of decoding are compared: these hold, times do not.
Invalid when: prompts differ by more than 1 %; or answers by more than 2 % where output tok/s is compared.
Unknown when: a cell of both arms lacks the tokens that were sent or written.
Source: output tok/s and E2E grow with the answer's length; ``ignore_eos`` and a fixed length make it equal.
"""

__all__ = ["TABLE_CHECK"]

from collections.abc import Sequence
from statistics import fmean

from sparktune.experiment.checks._shared import (
    ONE_ARM,
    Finding,
    make_table_check,
    other_arms,
    row_words,
    shared_cells,
    unknown,
)
from sparktune.model.check import Status
from sparktune.model.table import Row, Table
from sparktune.model.table_check import TableContext
from sparktune.units import Ratio, count_of, format_percent

_PROMPTS: Ratio = 0.01
_ANSWERS: Ratio = 0.02
_HINT = "fix the length of answers (min_tokens = max_tokens, ignore_eos) and send prompts of equal length"
_RATE_HINT = "compare rates of decoding, not the time of answers; or fix the length of answers"


def _judge(table: Table, _: TableContext) -> Sequence[Finding]:
    pairs = other_arms(table)
    if not pairs:
        return [_alone(table)]
    cells = [cell for pair in pairs for cell in shared_cells(table, *pair) if _measured(cell)]
    findings = _compared(cells, "prompt_tokens", _PROMPTS, Status.INVALID, _HINT)
    whole = any("output_tok_s" in row.values for rows in cells for side in rows for row in side)
    status, hint = (Status.INVALID, _HINT) if whole else (Status.WARN, _RATE_HINT)
    findings += _compared(cells, "output_tokens", _ANSWERS, status, hint)
    if any(_mean(side, "output_tokens") is None for cell in cells for side in cell) or not cells:
        findings.append(unknown("it needs the tokens that were sent and written, not those that were asked for"))
    return findings or [Finding(status=Status.OK, evidence=f"equal work in {count_of(len(cells), 'cell')}")]


def _measured(cell: tuple[Sequence[Row], Sequence[Row]]) -> bool:
    """Tell whether both sides have a request that did not fail."""
    return all(
        any(row.values.get("failed_requests", 0) < row.values.get("requests", 1) for row in rows) for rows in cell
    )


def _compared(
    cells: Sequence[tuple[Sequence[Row], Sequence[Row]]], metric: str, limit: Ratio, status: Status, hint: str
) -> list[Finding]:
    apart = []
    for first, second in cells:
        means = _mean(first, metric), _mean(second, metric)
        if means[0] and means[1] and abs(means[1] / means[0] - 1) > limit:
            apart.append((abs(means[1] / means[0] - 1), first[0], means))
    if not apart:
        return []
    _, row, (one, other) = max(apart, key=lambda item: item[0])
    noun = metric.replace("_", " ")
    evidence = (
        f"{noun} differ in {count_of(len(apart), 'cell')}, most in {row_words(row)}: {one:,.0f} against {other:,.0f}"
    )
    return [Finding(status=status, evidence=evidence, hint=hint)]


def _mean(rows: Sequence[Row], metric: str) -> float | None:
    values = [row.values[metric] for row in rows if metric in row.values]
    return fmean(values) if values else None


def _alone(table: Table) -> Finding:
    """Say what the prompts of one arm came to: a template adds to what was asked for."""
    known = [
        (row, row.values["prompt_tokens"]) for row in table.rows if row.prompt_tokens and "prompt_tokens" in row.values
    ]
    if not known:
        return Finding(status=Status.OK, evidence=ONE_ARM)
    row, sent = max(known, key=lambda item: abs(item[1] / (item[0].prompt_tokens or 1) - 1))
    share = format_percent(sent / (row.prompt_tokens or 1) - 1, signed=True)
    return Finding(status=Status.OK, evidence=f"{ONE_ARM}; {row_words(row)} sent {sent:,.0f} tokens ({share})")


TABLE_CHECK = make_table_check("V06", "the same work in both arms", _judge, source="rates depend on lengths")
