"""The columns that a table of results may have, the other names that they go by, and arms that are columns."""

__all__ = ["COLUMNS", "METRICS", "Column", "columns_of"]

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from sparktune.errors import UsageError

COLUMNS = (
    "prompt_tokens",
    "output_tokens",
    "depth",
    "concurrency",
    "arm",
    "block",
    "trial",
    "trials",
    "label",
    "prompt_id",
)
METRICS = (
    "ttft_s",
    "output_tok_s",
    "decode_tok_s",
    "ttft_max_s",
    "ttft_spread_s",
    "prefill_tok_s",
    "decode_total_tok_s",
    "peak_tok_s",
    "prefix_hit_share",
    "acceptance_length",
    "tokens_per_chunk",
    "sent_prompt_tokens",
    "sent_output_tokens",
    "preemptions",
    "requests",
    "failed_requests",
    "sm_clock_mhz",
    "start_temp_c",
    "client_cpu_share",
    "send_skew_s",
)
_ALIASES = {
    "prompt": "prompt_tokens",
    "conc": "concurrency",
    "streams": "concurrency",
    "run": "arm",
    "case": "label",
    "test": "label",
    "tok_s": "output_tok_s",
    "agg_tok_s": "output_tok_s",
    "aggregate_tok_s": "output_tok_s",
    "median_ttft_s": "ttft_s",
    "aggregate_decode_tok_s": "decode_total_tok_s",
}
_PREFERRED = ("prompt_tokens", "output_tokens", "depth", "concurrency", "arm", "trial", *METRICS[:3])
_LEAST_ARMS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """What a column holds; ``arm`` where the head names one (``off_ttft_s``), else empty."""

    name: str
    arm: str = ""


def columns_of(heads: Sequence[str], *, source: str, line: int) -> tuple[Column, ...]:
    """Return what the columns are. Raises UsageError for a head that is unknown or there twice, naming the nearest."""
    wide = _wide_arms(heads)
    found = []
    for head in heads:
        column = wide.get(head) or _column(head)
        if column is None:
            message = f"{source}, line {line}: {head[:60]!r} is no column that is known"
            raise UsageError(message, hint=_nearest(head))
        if column in found:
            message = f"{source}, line {line}: {column.name} is there twice"
            raise UsageError(message, hint="remove one of the two columns")
        found.append(column)
    return tuple(found)


def _column(head: str) -> Column | None:
    name = _ALIASES.get(head.lower(), head.lower())
    return Column(name=name) if name in COLUMNS or name in METRICS else None


def _wide_arms(heads: Sequence[str]) -> dict[str, Column]:
    """Find heads like off_ttft_s and on_ttft_s: two arms or more, each with the same metrics."""
    found: dict[str, dict[str, str]] = {}
    for head in heads:
        if _column(head) is not None:
            continue
        known = [metric for metric in (*METRICS, *_ALIASES) if head.lower().endswith(f"_{metric}")]
        metric = max(known, key=len, default="")
        target = _ALIASES.get(metric, metric)
        if target in METRICS:
            found.setdefault(head[: -len(metric) - 1], {})[target] = head
    sets = {frozenset(metrics) for metrics in found.values()}
    if len(found) < _LEAST_ARMS or len(sets) != 1:
        return {}
    return {head: Column(name=metric, arm=arm) for arm, metrics in found.items() for metric, head in metrics.items()}


def _nearest(head: str) -> str:
    close = get_close_matches(head.lower()[:60], [*_PREFERRED, *COLUMNS, *METRICS, *_ALIASES], n=1, cutoff=0.4)
    nearest = f"did you mean {_ALIASES.get(close[0], close[0])}? " if close else ""
    return f"{nearest}known are {', '.join(_PREFERRED)}"
