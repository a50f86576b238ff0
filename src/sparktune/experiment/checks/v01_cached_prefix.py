"""V01: prompts that should be cold were answered from a prefix cache, or one arm's were and the other's not.

Looks at: ``prefix_hit_share`` of each row, the share of prompt tokens that came from a cache.
Warns when: never.
Invalid when: a row without depth has more than 2 %; or the arms of a cell differ by more than 2 points.
Unknown when: a row has no share, or prompts share prefixes on purpose. A count that is missing is not 0.
Source: a prefix cache hit makes TTFT depend on the uncached rest only; vLLM tells hits per request with
    ``--enable-prompt-tokens-details``, and over all with ``vllm:prefix_cache_hits_total``.
"""

__all__ = ["TABLE_CHECK"]

from collections.abc import Sequence

from sparktune.experiment.checks._shared import (
    Finding,
    grouped,
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
from sparktune.units import Ratio, format_percent

_NEGLIGIBLE: Ratio = 0.02
_METRIC = "prefix_hit_share"
_HINT = "send new prompts with a nonce in front, or reset the cache between trials, and measure again"
_NEEDED = (
    "the share of prompt tokens from a cache (prefix_hit_share): from usage.cached_tokens or the server's counters"
)


def _is_cached(row: Row) -> bool:
    return not row.depth and not row.warm and row.values.get(_METRIC, 0.0) > _NEGLIGIBLE


def _judge(table: Table, _: TableContext) -> Sequence[Finding]:
    known = [row for row in table.rows if _METRIC in row.values]
    cached = [row for row in table.rows if _is_cached(row)]
    findings = []
    if cached:
        most = max(row.values[_METRIC] for row in cached)
        cells = listed(grouped(cached))
        evidence = f"up to {format_percent(most)} of the prompt came from a cache: {cells}"
        findings.append(Finding(status=Status.INVALID, evidence=evidence, hint=_HINT, weight=most))
    findings += _between(table)
    warm = [row for row in table.rows if row.warm]
    if warm:
        said = (
            "prompts share prefixes on purpose: not whether they were cold is judged, but whether both arms were alike"
        )
        findings.append(unknown(f"{said}: {listed(grouped(warm))}"))
    if len(known) < len(table.rows):
        findings.append(unknown(f"{len(table.rows) - len(known)} of {len(table.rows)} rows lack {_NEEDED}"))
    return findings or [Finding(status=Status.OK, evidence="at most 2 % of a prompt came from a cache")]


def _between(table: Table) -> list[Finding]:
    found = []
    for first, second in other_arms(table):
        for one, other in shared_cells(table, first, second):
            shares = median_of(one, _METRIC), median_of(other, _METRIC)
            if shares[0] is not None and shares[1] is not None and abs(shares[0] - shares[1]) > _NEGLIGIBLE:
                words = f"{row_words(one[0])}: {format_percent(shares[0])} against {format_percent(shares[1])} cached"
                found.append(Finding(status=Status.INVALID, evidence=words, hint=_HINT))
    return found


def _voids(table: Table, _: TableContext) -> frozenset[int]:
    return frozenset(place for place, row in enumerate(table.rows) if _is_cached(row))


TABLE_CHECK = make_table_check(
    "V01", "prompts cold in both arms", _judge, source="vLLM's prefix caching works in whole blocks", voids=_voids
)
