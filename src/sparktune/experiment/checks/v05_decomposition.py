"""V05: a gain in output tok/s is all in the wait before the first token; decoding is not faster.

Looks at: cells of both arms. With decode tok/s: its change beside that of output tok/s and TTFT. Else, with one stream:
    how much of the time gained, output tokens / output tok/s, is TTFT.
Warns when: output tok/s changed by more than 20 %, TTFT too, and decoding by 5 % at most; or 80 % or more of the time
    gained is TTFT.
Invalid when: never: it says what the gain is, not that there is none.
Unknown when: no cell has output tok/s and TTFT in both arms, with either decode tok/s or the answer's length.
Source: a request's time is TTFT + tokens / decode rate; output tok/s mixes the two.
"""

__all__ = ["TABLE_CHECK"]

from collections.abc import Sequence

from sparktune.experiment.checks._shared import (
    ONE_ARM,
    Finding,
    concurrency_of,
    listed,
    make_table_check,
    median_of,
    other_arms,
    output_tokens_of,
    row_words,
    shared_cells,
    unknown,
)
from sparktune.model.check import Status
from sparktune.model.table import Row, Table
from sparktune.model.table_check import TableContext
from sparktune.units import Ratio, format_percent

_CHANGED: Ratio = 0.20
_SAME: Ratio = 0.05
_MOST: Ratio = 0.80
_HINT = "compare TTFT and decode tok/s by themselves: a cache or a queue changes the first, not the second"


def _judge(table: Table, _: TableContext) -> Sequence[Finding]:
    pairs = other_arms(table)
    if not pairs:
        return [Finding(status=Status.OK, evidence=ONE_ARM)]
    cells = [cell for pair in pairs for cell in shared_cells(table, *pair)]
    judged = [(cell, found) for cell in cells if (found := _gain(*cell)) is not None]
    if not judged:
        return [unknown("it needs output_tok_s and ttft_s of both arms, with decode_tok_s or output_tokens")]
    told = [f"{row_words(cell[0][0])}: {words}" for cell, words in judged if words]
    if told:
        evidence = f"the change of output tok/s is in TTFT, not in decoding: {listed(told, 3)}"
        return [Finding(status=Status.WARN, evidence=evidence, hint=_HINT)]
    return [Finding(status=Status.OK, evidence="no large change of output tok/s comes from TTFT alone")]


def _gain(first: Sequence[Row], second: Sequence[Row]) -> str | None:
    """Return what the change is made of, "" when it is not all TTFT, None when it cannot be told."""
    rates = [median_of(rows, "output_tok_s") for rows in (first, second)]
    waits = [median_of(rows, "ttft_s") for rows in (first, second)]
    if not (rates[0] and rates[1] and waits[0] and waits[1]):
        return None
    large = abs(rates[1] / rates[0] - 1) > _CHANGED and abs(waits[1] / waits[0] - 1) > _CHANGED
    decode = [median_of(rows, "decode_tok_s") for rows in (first, second)]
    if decode[0] and decode[1]:
        change = decode[1] / decode[0] - 1
        return f"decoding changed by {format_percent(change, signed=True)}" if large and abs(change) <= _SAME else ""
    tokens = output_tokens_of(first[0])
    if not tokens or concurrency_of(first[0]) != 1:
        return None
    gained = tokens / rates[0] - tokens / rates[1]
    share = (waits[0] - waits[1]) / gained if gained else 0.0
    return f"{format_percent(min(share, 1.0))} of the time gained is TTFT" if large and share >= _MOST else ""


TABLE_CHECK = make_table_check("V05", "what a gain is made of", _judge, source="time = TTFT + tokens / decode rate")
