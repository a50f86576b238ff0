"""Read results that keep one JSON object per prompt, with the server's counters beside them.

Source: the draft depth sweep of jschmied/dgx-spark-setup-guide (bench/nvfp4-table/data/dflash-sweep): a list of
``{"id", "ctx", "tok_s", "ttft", "tokens", "deltas"}`` or ``{"id", "ctx", "error"}``. ``tok_s`` is the rate of decoding:
tokens / tok_s is shorter than ``ttft`` in many rows, so the wait is not in it. A file ``NAME.metrics`` beside it is
vLLM's ``/metrics`` after the arm; its ``_total`` series count from the server's start.
"""

__all__ = ["READER"]

from collections.abc import Mapping

import msgspec

from sparktune.bench.exposition import parse_exposition
from sparktune.bench.imports._shared import Reader, SourceFile, compact, decoded
from sparktune.errors import UsageError
from sparktune.model.table import Row, Table

_HINT = 'a result is a list of {"id", "ctx", "tok_s", "ttft", "tokens", "deltas"} or {"id", "ctx", "error"}'
_PREFIX = "vllm:spec_decode_num_"


class _Result(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    ctx: int | None = None
    tok_s: float | None = None
    ttft: float | None = None
    tokens: int | None = None
    deltas: int | None = None
    error: str | None = None


def _table(file: SourceFile) -> Table:
    results = decoded(file, list[_Result], _HINT)
    if not results:
        message = f"{file.name} is an empty list"
        raise UsageError(message, hint=_HINT)
    drafted = _drafts(file.beside)
    return Table(
        source=READER.id,
        name=file.name,
        rows=tuple(_row(result) for result in results),
        settings={"": {"num_speculative_tokens": f"{drafted[0]:g}"}} if drafted else {},
        facts={"acceptance_length": f"{drafted[1]:.2f}", "draft_acceptance_share": f"{drafted[2]:.3f}"}
        if drafted
        else {},
    )


def _row(result: _Result) -> Row:
    failed = result.error is not None
    values = (
        {}
        if failed
        else {
            "decode_tok_s": result.tok_s,
            "ttft_s": result.ttft,
            "output_tokens": None if result.tokens is None else float(result.tokens),
            "tokens_per_chunk": result.tokens / result.deltas if result.tokens and result.deltas else None,
        }
    )
    return Row(
        prompt_tokens=result.ctx,
        concurrency=1,
        trial=1,
        prompt_id=result.id,
        note=(result.error or "")[:120],
        values={**compact(values), "requests": 1.0, "failed_requests": float(failed)},
    )


def _drafts(beside: Mapping[str, bytes]) -> tuple[float, float, float] | None:
    """Return drafted tokens per draft, the acceptance length and the share of drafted tokens that were accepted."""
    totals: dict[str, float] = {}
    for name, data in beside.items():
        if name.endswith(".metrics"):
            for sample in parse_exposition(data):
                if sample.name.startswith(_PREFIX) and "per_pos" not in sample.name:
                    totals[sample.name] = totals.get(sample.name, 0.0) + sample.value
    drafts, tokens, accepted = (
        totals.get(f"{_PREFIX}{part}_total", 0.0) for part in ("drafts", "draft_tokens", "accepted_tokens")
    )
    return (tokens / drafts, 1 + accepted / drafts, accepted / tokens) if drafts > 0 and tokens > 0 else None


def _recognises(file: SourceFile) -> bool:
    head = file.data.lstrip(b"\xef\xbb\xbf \t\r\n")[:2000]
    return head.startswith(b"[") and b'"id"' in head and (b'"tok_s"' in head or b'"ctx"' in head)


READER = Reader(
    id="prompt-results",
    title='lists of prompts with "tok_s", one JSON object per prompt',
    recognises=_recognises,
    read=_table,
    order=25,
)
