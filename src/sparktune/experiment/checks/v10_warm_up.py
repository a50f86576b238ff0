"""V10: the first trial was cold, or the trials differ too much to be one measurement.

Looks at: the series of trials of a cell, in their order: output tok/s, else decode tok/s, else TTFT.
Warns when: the first of three or more is slower than the median of the others by more than 10 % and five of their
    deviations; or the largest is more than 1.5 times the smallest.
Invalid when: never: medians bear one cold trial; where every trial was cold, no table shows it.
Unknown when: no cell has three trials in their order.
Source: kernels are compiled and tuned, and graphs captured, once per shape and start; the first minutes after a start
    of vLLM on a GB10 were reported some 30 % slow.
"""

__all__ = ["TABLE_CHECK"]

from collections.abc import Sequence

from sparktune.bench.stats import first_is_slow
from sparktune.experiment.checks._shared import Finding, by_cell, listed, make_table_check, row_words, unknown
from sparktune.model.check import Status
from sparktune.model.table import Row, Table
from sparktune.model.table_check import TableContext
from sparktune.units import format_rate

_METRICS = (("output_tok_s", True), ("decode_total_tok_s", True), ("decode_tok_s", True), ("ttft_s", False))
_FEWEST = 3
_UNSTABLE = 1.5
_HINT = "warm every cell up before measuring it, and give more trials: the median is taken, the others are kept"


def _judge(table: Table, _: TableContext) -> Sequence[Finding]:
    found = [
        (f"{row_words(rows[0])}{f' in {arm}' if arm else ''}", *series)
        for arm in table.measured_arms
        for rows in by_cell(table, arm).values()
        if (series := _series(rows)) is not None
    ]
    if not found:
        return [unknown("it needs three trials of a cell in their order")]
    cold = [
        f"{words} ({_told(values)})"
        for words, values, faster in found
        if first_is_slow(values, higher_is_faster=faster)
    ]
    wide = [f"{words} ({_told(values)})" for words, values, _ in found if _is_wide(values)]
    findings = []
    if cold:
        evidence = f"the first trial is far slower than the others: {listed(cold, 3)}"
        findings.append(Finding(status=Status.WARN, evidence=evidence, hint=_HINT, weight=1))
    if wide:
        evidence = f"trials differ by more than {_UNSTABLE} times: {listed(wide, 3)}"
        findings.append(Finding(status=Status.WARN, evidence=evidence, hint=_HINT))
    return findings or [Finding(status=Status.OK, evidence="no first trial stands apart")]


def _series(rows: Sequence[Row]) -> tuple[tuple[float, ...], bool] | None:
    ordered = sorted(rows, key=lambda row: (row.block or 0, row.trial or 0))
    numbered = all(row.trial is not None or row.block is not None for row in rows)
    for metric, faster in _METRICS:
        values = rows[0].series.get(metric, ()) if len(rows) == 1 else ()
        if not values and numbered:
            values = tuple(row.values[metric] for row in ordered if metric in row.values)
        if len(values) >= _FEWEST and min(values) > 0:
            return tuple(values), faster
    return None


def _is_wide(values: Sequence[float]) -> bool:
    return max(values) / min(values) > _UNSTABLE


def _told(values: Sequence[float]) -> str:
    return listed([f"{format_rate(value)}" for value in values], 6)


TABLE_CHECK = make_table_check("V10", "warm before the first trial", _judge, source="compilation per shape and start")
