"""V03: the same prompts were sent again, so that a cache could answer.

Looks at: the names of prompts, where every row is one request.
Warns when: a prompt is there twice in one trial of an arm; or the second arm answers the same prompts with a median
    TTFT below half of the first's.
Invalid when: never: that a cache did answer is for V01 and V02 to show.
Unknown when: the rows do not name their prompts.
Source: a prompt is cold only once per start of a server; a nonce at its front makes it new.
"""

__all__ = ["TABLE_CHECK"]

from collections import Counter
from collections.abc import Sequence
from statistics import median

from sparktune.experiment.checks._shared import Finding, listed, make_table_check, other_arms, shared_cells, unknown
from sparktune.model.check import Status
from sparktune.model.table import Table
from sparktune.model.table_check import TableContext
from sparktune.units import Ratio, count_of

_HALF: Ratio = 0.5
_HINT = "give every request a nonce in front, new for each trial and arm"


def _judge(table: Table, _: TableContext) -> Sequence[Finding]:
    named = [row for row in table.rows if row.prompt_id]
    if len(named) < len(table.rows):
        return [unknown("it needs to be known that every request had a nonce of its own, new for each trial and arm")]
    counts = Counter((row.arm, row.trial, row.block, row.prompt_id) for row in named)
    twice = [key[-1] for key, count in counts.items() if count > 1]
    if twice:
        evidence = f"{count_of(len(twice), 'prompt')} sent more than once in a trial: {listed(twice)}"
        return [Finding(status=Status.WARN, evidence=evidence, hint=_HINT)]
    across = [finding for pair in other_arms(table) for finding in _across(table, *pair)]
    return across or [Finding(status=Status.OK, evidence=f"{count_of(len(counts), 'request')}, no prompt twice")]


def _across(table: Table, first: str, second: str) -> list[Finding]:
    ratios = [
        b.values["ttft_s"] / a.values["ttft_s"]
        for (a, *_), (b, *_) in shared_cells(table, first, second)
        if a.values.get("ttft_s") and b.values.get("ttft_s")
    ]
    if not ratios:
        return []
    middle = median(ratios)
    evidence = f"arms {first} and {second} had the same prompts; the median ratio of TTFT is {middle:.2f}"
    if middle < _HALF:
        return [Finding(status=Status.WARN, evidence=evidence, hint=_HINT, weight=1 / middle)]
    return [Finding(status=Status.OK, evidence=f"{evidence}: not read from a cache")]


TABLE_CHECK = make_table_check("V03", "prompts new in every trial", _judge, source="a prompt is cold only once")
