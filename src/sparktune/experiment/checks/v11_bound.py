"""V11: what bounds a cell: the reading of prompts, or a KV cache that is too small.

Looks at: output tok/s against output tokens x prefill rate / prompt tokens, with the prefill rate that TTFT implies (of
    the wave, or of one stream); streams x (prompt + answer) against the KV cache, where its size is told; preemptions.
Warns when: they are equal within 15 %: output tok/s says how fast prompts are read (``cold-prefill-bound``); or the
    streams do not fit, or were preempted (``queue-bound``).
Invalid when: never: the numbers are right, but not what the row seems to say.
Unknown when: nothing is bound by the numbers at hand, and neither the KV cache's size nor preemptions are told.
Source: arithmetic: a wave whose time is all prefill delivers output x prefill rate / prompt tokens, at any concurrency.
"""

__all__ = ["TABLE_CHECK"]

from collections.abc import Sequence
from dataclasses import replace

from sparktune.experiment.checks._shared import (
    CellKey,
    Finding,
    concurrency_of,
    facts_number,
    grouped,
    key_of,
    listed,
    make_table_check,
    output_tokens_of,
    prompt_tokens_of,
    setting_of,
    unknown,
)
from sparktune.model.check import Status
from sparktune.model.table import Row, Table
from sparktune.model.table_check import TableContext
from sparktune.units import Ratio

_NEAR: Ratio = 0.15
_POOL = ("kv_pool_tokens", "kv_cache_tokens")
_PREFILL_HINT = "output tok/s is set by prompt reading there: compare TTFT and decode tok/s instead"
_QUEUE_HINT = "streams wait for each other: use fewer or shorter ones, or give the server more KV cache"


def _judge(table: Table, _: TableContext) -> Sequence[Finding]:
    alone = _alone(table)
    bound = [
        row for row in table.rows if _is_prefill_bound(row, alone.get((row.arm, key_of(replace(row, concurrency=1)))))
    ]
    queued = [row for row in table.rows if _needs_more(table, row) or row.values.get("preemptions", 0) > 0]
    findings = []
    if queued:
        evidence = f"the KV cache is too small, or streams were preempted: {listed(grouped(queued), 6)}"
        findings.append(Finding(status=Status.WARN, evidence=evidence, hint=_QUEUE_HINT, label="queue-bound", weight=1))
    if bound:
        evidence = f"output tok/s is what reading the prompts allows in {listed(grouped(bound), 6)}"
        findings.append(Finding(status=Status.WARN, evidence=evidence, hint=_PREFILL_HINT, label="cold-prefill-bound"))
    if findings:
        return findings
    told = any(facts_number(table, name) for name in _POOL) or any("preemptions" in row.values for row in table.rows)
    if told:
        return [Finding(status=Status.OK, evidence="the streams fit, and no row is bound by the reading of prompts")]
    return [unknown("it needs the size of the KV cache (kv_pool_tokens) or preemptions")]


def _is_prefill_bound(row: Row, alone: Row | None) -> bool:
    """Compare output tok/s with what the reading of prompts allows, by this wave's TTFT or by that of one stream."""
    tokens, rate = output_tokens_of(row), row.values.get("output_tok_s")
    if not prompt_tokens_of(row) or not tokens or not rate or row.depth:
        return False
    spans = [_last_first_token(row), _last_first_token(alone)]
    allowed = [
        streams * tokens / span
        for span, streams in zip(spans, (concurrency_of(row), 1), strict=True)
        if span is not None and span > 0
    ]
    return any(abs(rate / bound - 1) <= _NEAR for bound in allowed)


def _last_first_token(row: Row | None) -> float | None:
    """Return when the last stream of a wave had its first token, if streams are served in turn."""
    if row is None or not row.values.get("ttft_s"):
        return None
    streams = concurrency_of(row)
    return row.values.get("ttft_max_s") or row.values["ttft_s"] * 2 * streams / (streams + 1)


def _alone(table: Table) -> dict[tuple[str, CellKey], Row]:
    """Return the rows with one stream, by arm and cell."""
    return {(row.arm, key_of(row)): row for row in table.rows if row.concurrency == 1}


def _needs_more(table: Table, row: Row) -> bool:
    pool, prompt = setting_of(table, row.arm, *_POOL), prompt_tokens_of(row)
    if not pool or prompt is None:
        return False
    return concurrency_of(row) * (prompt + (row.depth or 0) + (output_tokens_of(row) or 0)) > pool


TABLE_CHECK = make_table_check("V11", "what bounds the cell", _judge, source="arithmetic of a wave")
