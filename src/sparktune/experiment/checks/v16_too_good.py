"""V16: too good to be true: more than twice as fast, or more than the streams alone would give.

Looks at: the ratio of the arms in every cell, of output tok/s, else decode tok/s, else TTFT; and output tok/s of a cell
    beside its streams times that of one stream.
Warns when: a cell differs by more than 2 times between the arms; or has more than 1.2 times streams x one stream.
    Beyond 100 times no verdict is given: 1000 is seconds beside milliseconds.
Invalid when: never: what is too good has to be explained; V01 and V02 say where a cache does.
Unknown when: neither arms nor one stream beside several can be compared.
Source: on a machine that is neither broken nor mistaken, settings of the system move a few percent; and streams share
    one GPU, so that together they have at most what each would have alone.
"""

__all__ = ["TABLE_CHECK"]

from collections.abc import Sequence

from sparktune.experiment.checks._shared import (
    Finding,
    by_cell,
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
from sparktune.model.table import Table
from sparktune.model.table_check import TableContext
from sparktune.units import Ratio, format_rate

_METRICS = ("output_tok_s", "decode_tok_s", "ttft_s")
_TWICE: Ratio = 2.0
_ABOVE: Ratio = 1.2
_UNITS: Ratio = 100.0
_HINT = "find what explains it before you believe it: a cache, another amount of work, a broken first arm"

_UNITS_HINT = "are both arms in one unit (seconds, not milliseconds)? settings do not change a machine that much"


def _judge(table: Table, _: TableContext) -> Sequence[Finding]:
    findings, asked = [], 0
    for first, second in other_arms(table):
        ratios = _ratios(table, first, second)
        asked += len(ratios)
        large = sorted((item for item in ratios if max(item[0], 1 / item[0]) > _TWICE), key=lambda item: -item[0])
        if large:
            words = listed([f"{ratio:{'.1f' if ratio >= 1 else '.2g'}} times in {cell}" for ratio, cell in large], 3)
            evidence = f"{second} against {first} is {words}"
            most = max(max(ratio, 1 / ratio) for ratio, _ in large)
            label, hint = ("undecided", _UNITS_HINT) if most > _UNITS else ("", _HINT)
            findings.append(Finding(status=Status.WARN, evidence=evidence, hint=hint, label=label, weight=most))
    above, compared = _above_solo(table)
    if above:
        evidence = f"more than the streams have alone: {listed(above, 3)}"
        findings.append(Finding(status=Status.WARN, evidence=evidence, hint=_HINT))
    if findings:
        return findings
    if asked or compared:
        return [
            Finding(status=Status.OK, evidence="no cell is more than twice as fast, or above what streams have alone")
        ]
    return [unknown("it needs a rate or TTFT of both arms, or of one stream beside several")]


def _ratios(table: Table, first: str, second: str) -> list[tuple[Ratio, str]]:
    found = []
    for one, other in shared_cells(table, first, second):
        known = [(metric, median_of(one, metric), median_of(other, metric)) for metric in _METRICS]
        metric, before, after = next((item for item in known if item[1] and item[2]), ("", None, None))
        if before and after:
            found.append((before / after if metric == "ttft_s" else after / before, row_words(one[0])))
    return found


def _above_solo(table: Table) -> tuple[list[str], int]:
    above, compared = [], 0
    for arm in table.measured_arms:
        cells = by_cell(table, arm)
        for (prompt, output, depth, _, label, prompt_id), rows in cells.items():
            row, rate = rows[0], median_of(rows, "output_tok_s")
            solo = median_of(cells.get((prompt, output, depth, 1, label, prompt_id), ()), "output_tok_s")
            if rate is None or not solo or concurrency_of(row) == 1:
                continue
            compared += 1
            if rate > _ABOVE * concurrency_of(row) * solo:
                above.append(f"{row_words(row)} has {format_rate(rate)} tok/s, one stream {format_rate(solo)}")
    return above, compared


TABLE_CHECK = make_table_check("V16", "not too good to be true", _judge, source="streams share one GPU")
