"""V15: the effect jumps from one concurrency to the next, which no mechanism does.

Looks at: the change of output tok/s (else decode tok/s) from arm to arm, over the concurrencies of one shape.
Warns when: a change differs from the mean of its two neighbours by more than 0.10 of a log, and none of the three is
    beyond 2 times: noise of single trials.
Invalid when: never.
Unknown when: no shape has three concurrencies in both arms.
Source: an effect of a setting on a batch grows or shrinks with its size; single trials on these machines differ by 5 to
    20 %.
"""

__all__ = ["TABLE_CHECK"]

import math
from collections.abc import Sequence
from itertools import pairwise

from sparktune.experiment.checks._shared import (
    ONE_ARM,
    Finding,
    concurrency_of,
    listed,
    make_table_check,
    median_of,
    other_arms,
    row_words,
    shared_cells,
    unknown,
)
from sparktune.model.check import Status
from sparktune.model.table import Row, Table
from sparktune.model.table_check import TableContext
from sparktune.units import format_percent

_JUMP = 0.10
_TWICE = math.log(2)  # beyond it, V16 asks what explains it
_FEWEST = 3
_HINT = "measure the cell that jumps again, in blocks: it says how large the noise is"


def _judge(table: Table, _: TableContext) -> Sequence[Finding]:
    pairs = other_arms(table)
    if not pairs:
        return [Finding(status=Status.OK, evidence=ONE_ARM)]
    shapes = [line for pair in pairs for line in _lines(table, *pair)]
    if not shapes:
        return [unknown("it needs a rate at three concurrencies of one shape in both arms")]
    jumps = [words for line in shapes for words in _jumps(line)]
    if jumps:
        evidence = f"the effect jumps between neighbouring concurrencies: {listed(jumps, 3)}"
        return [Finding(status=Status.WARN, evidence=evidence, hint=_HINT)]
    return [Finding(status=Status.OK, evidence="the effect changes steadily with concurrency")]


def _lines(table: Table, first: str, second: str) -> list[list[tuple[Row, float]]]:
    found: dict[tuple[object, ...], list[tuple[Row, float]]] = {}
    for one, other in shared_cells(table, first, second):
        ratio = _log_ratio(one, other)
        row = one[0]
        if ratio is not None and row.concurrency is not None and not row.prompt_id:
            key = (row.prompt_tokens, row.output_tokens, row.depth, row.label)
            found.setdefault(key, []).append((row, ratio))
    lines = [sorted(line, key=lambda item: concurrency_of(item[0])) for line in found.values()]
    return [line for line in lines if len(line) >= _FEWEST]


def _log_ratio(one: Sequence[Row], other: Sequence[Row]) -> float | None:
    for metric in ("output_tok_s", "decode_tok_s"):
        values = median_of(one, metric), median_of(other, metric)
        if values[0] and values[1]:
            return math.log(values[1] / values[0])
    return None


def _jumps(line: Sequence[tuple[Row, float]]) -> list[str]:
    found = []
    for ((_, before), (row, ratio)), (_, (_, after)) in pairwise(pairwise(line)):
        if max(map(abs, (before, ratio, after))) < _TWICE and abs(ratio - (before + after) / 2) > _JUMP:
            changes = " and ".join(format_percent(math.expm1(value), signed=True) for value in (before, after))
            found.append(f"{format_percent(math.expm1(ratio), signed=True)} in {row_words(row)} between {changes}")
    return found


TABLE_CHECK = make_table_check("V15", "steady over concurrency", _judge, source="noise of single trials")
