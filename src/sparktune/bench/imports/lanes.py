"""Read benchmark results that keep one JSON object per stream ("lane"), and compare the lanes of a wave.

Source: the matrices of MiaAI-Lab's DeepSeek-v4-Flash-DSpark-2x-DGX-Spark: ``{"cases": [CASE, ...]}`` or
``{name: CASE}``; a lane has its server's token counts, its number of SSE chunks, ``ttft_s`` and ``decode_s`` (first to
last token). The files do not tell the tokens of a lane's first chunk: (N - 1) / decode_s is the published rate and,
with several tokens per chunk, an upper bound.
"""

__all__ = ["READER", "Lane", "LaneCase", "LaneFairness", "fairness", "read_lanes"]

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, median

import msgspec

from sparktune.bench.imports._shared import Reader, SourceFile, compact, middle, starts_with_keys
from sparktune.bench.stats import jain_index
from sparktune.errors import UsageError
from sparktune.model.table import Row, Table
from sparktune.units import Ratio, Seconds, Tokens, TokensPerSecond, format_rate

_EVEN: Ratio = 0.15
_FEWEST_TO_COMPARE = 2
_FEWEST_FOR_ORDER = 3
_HINT = 'a case is an object with "lanes": [{"ttft_s", "decode_s", "completion_tokens", "chunks", ...}, ...]'


class Lane(msgspec.Struct, frozen=True, kw_only=True):
    """One stream. A lane that failed has ``error`` and may have no numbers."""

    idx: int = 0
    error: str | None = None
    prompt_tokens: Tokens | None = None
    completion_tokens: Tokens | None = None
    chunks: int | None = None
    ttft_s: Seconds | None = None
    decode_s: Seconds | None = None

    @property
    def decode_tok_s(self) -> TokensPerSecond | None:
        """The rate by the server's count of tokens, ``(N - 1) / decode_s``."""
        if self.error is not None or not self.completion_tokens or not self.decode_s:
            return None
        return (self.completion_tokens - 1) / self.decode_s

    @property
    def chunks_per_s(self) -> float | None:
        """What a tool reports that takes chunks for tokens."""
        return self.chunks / self.decode_s if self.error is None and self.chunks and self.decode_s else None

    @property
    def tokens_per_chunk(self) -> float | None:
        """How many tokens a chunk carried on average."""
        if self.error is not None or not self.completion_tokens or not self.chunks:
            return None
        return self.completion_tokens / self.chunks


class LaneCase(msgspec.Struct, frozen=True, kw_only=True):
    """One wave: ``prompt`` are the tokens asked for, ``lanes`` its streams."""

    prompt: Tokens
    concurrency: int
    lanes: tuple[Lane, ...]
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneFairness:
    """How differently the streams of one wave were served; needs two lanes or more, none failed.

    ``serialized`` says that first tokens came at even distances, each as long as one stream's own TTFT: prefills ran
    one after the other. None with fewer than three lanes, where no distance can be even.
    """

    ttft_spread_s: Seconds
    ttft_gap_s: Seconds
    ttft_max_over_min: float
    ttft_max_over_median: float
    jain_ttft: float | None
    jain_decode: float | None
    decode_tok_s: tuple[TokensPerSecond, ...]
    decode_median_tok_s: TokensPerSecond
    decode_max_over_min: float
    serialized: bool | None


class _Matrix(msgspec.Struct, frozen=True):
    cases: tuple[LaneCase, ...]


def read_lanes(data: bytes, *, source: str) -> tuple[LaneCase, ...]:
    """Read the cases of a file; ``source`` names it in errors.

    Raises UsageError when it is no JSON, or not of this form (with the path of the first wrong value).
    """
    try:
        keys = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
        if "cases" in keys:
            return tuple(_named(case, "") for case in msgspec.json.decode(data, type=_Matrix).cases)
        return tuple(_named(case, name) for name, case in msgspec.json.decode(data, type=dict[str, LaneCase]).items())
    except msgspec.DecodeError as error:
        message = f"{source} holds no results per lane: {error}"
        raise UsageError(message, hint=_HINT) from error


def fairness(case: LaneCase) -> LaneFairness | None:
    """Compare the lanes of a case; None when there is one lane, or a lane without times and counts."""
    waits = [lane.ttft_s for lane in case.lanes if lane.ttft_s is not None and lane.ttft_s > 0]
    rates = tuple(rate for lane in case.lanes if (rate := lane.decode_tok_s))
    if len(case.lanes) < _FEWEST_TO_COMPARE or min(len(waits), len(rates)) < len(case.lanes):
        return None
    ordered = sorted(waits)
    gaps = [after - before for before, after in pairwise(ordered)]
    return LaneFairness(
        ttft_spread_s=ordered[-1] - ordered[0],
        ttft_gap_s=max(gaps),
        ttft_max_over_min=ordered[-1] / ordered[0],
        ttft_max_over_median=ordered[-1] / median(ordered),
        jain_ttft=jain_index(waits),
        jain_decode=jain_index(rates),
        decode_tok_s=rates,
        decode_median_tok_s=median(rates),
        decode_max_over_min=max(rates) / min(rates),
        serialized=_is_serialized(ordered[0], gaps) if len(ordered) >= _FEWEST_FOR_ORDER else None,
    )


def _is_serialized(first: Seconds, gaps: list[Seconds]) -> bool:
    mean = fmean(gaps)
    return mean > 0 and all(abs(span / mean - 1) <= _EVEN for span in (first, *gaps))


def _named(case: LaneCase, name: str) -> LaneCase:
    return msgspec.structs.replace(case, name=case.name or name or f"c{case.concurrency}_{case.prompt}")


def _table(file: SourceFile) -> Table:
    cases = read_lanes(file.data, source=file.name)
    waves = Counter[tuple[Tokens, int]]()
    rows = []
    for case in cases:
        waves[case.prompt, case.concurrency] += 1
        rows.append(_row(case, waves[case.prompt, case.concurrency]))
    return Table(source=READER.id, name=file.name, rows=tuple(rows))


def _row(case: LaneCase, trial: int) -> Row:
    """Describe one wave. The lanes' lengths of answers are a measured value: files do not tell what was asked for."""
    good = [lane for lane in case.lanes if lane.error is None]
    waits = [lane.ttft_s for lane in good if lane.ttft_s]
    known = fairness(case)
    values = {
        "ttft_s": middle(waits),
        "ttft_max_s": max(waits, default=None),
        "ttft_spread_s": known.ttft_spread_s if known else None,
        "decode_tok_s": middle(lane.decode_tok_s for lane in good),
        "output_tok_s": _output_tok_s(good, case.concurrency),
        "prompt_tokens": middle(lane.prompt_tokens for lane in good),
        "output_tokens": middle(lane.completion_tokens for lane in good),
        "tokens_per_chunk": middle(lane.tokens_per_chunk for lane in good),
        "requests": float(len(case.lanes)),
        "failed_requests": float(len(case.lanes) - len(good)),
    }
    return Row(
        prompt_tokens=case.prompt, concurrency=case.concurrency, trial=trial, values=compact(values), note=_note(known)
    )


def _note(known: LaneFairness | None) -> str:
    """Say how differently the streams were served: an aggregate hides it."""
    if known is None:
        return ""
    rates = ", ".join(format_rate(rate) for rate in sorted(known.decode_tok_s)[:8])
    served = "prefills were served one by one; " if known.serialized else ""
    return f"{served}the last stream waited {known.ttft_max_over_min:.1f} times the first; decoding {rates} tok/s"


def _output_tok_s(lanes: list[Lane], concurrency: int) -> TokensPerSecond | None:
    """Return the rate over all streams, from their common start to the last token; None where one lacks a time."""
    ends = [lane.ttft_s + lane.decode_s for lane in lanes if lane.ttft_s and lane.decode_s]
    tokens = [lane.completion_tokens for lane in lanes if lane.completion_tokens]
    if len(ends) < concurrency or len(tokens) < concurrency or max(ends) <= 0:
        return None
    return sum(tokens) / max(ends)


READER = Reader(
    id="lanes",
    title='matrices of waves with "lanes", one JSON object per stream',
    recognises=lambda file: starts_with_keys(file, b"lanes") or starts_with_keys(file, b"cases"),
    read=_table,
    order=60,
)
