"""Read the JSON report of llama-benchy and say which of its numbers can be used.

Source: llama-benchy 0.3.8 and 0.4.0, ``--format json`` (their ``results.py`` and report schema). Rates are tok/s, times
milliseconds; "std" is numpy's default, the population's; ``values`` are the runs (with several streams: per-request
series pool streams and runs). A phase that loads a context has ``is_context_prefill_phase``; with prefix caching on,
the phase after it measures TTFT on top of a context that is assumed, not checked, to be cached. "peak" counts tokens in
a window of one second, or chunks where the stream tells no token ids.
"""

__all__ = [
    "READER",
    "BenchyFlag",
    "BenchyReport",
    "BenchyRow",
    "BenchySeries",
    "FlagKind",
    "RowKind",
    "read_llama_benchy",
]

from dataclasses import dataclass
from enum import Enum
from statistics import fmean, median

import msgspec

from sparktune.bench.imports._shared import Reader, SourceFile, compact, starts_with_keys
from sparktune.bench.stats import first_is_slow, sample_sd
from sparktune.errors import UsageError
from sparktune.model.check import CheckResult, Status
from sparktune.model.table import Row, Table
from sparktune.units import Ratio, format_rate

_UNSTABLE: Ratio = 1.5
_MS_PER_S = 1000.0


class _Series(msgspec.Struct, frozen=True):
    mean: float
    std: float
    values: tuple[float, ...]


class _Benchmark(msgspec.Struct, frozen=True):
    concurrency: int
    context_size: int
    prompt_size: int
    response_size: int
    is_context_prefill_phase: bool
    pp_throughput: _Series | None = None
    pp_req_throughput: _Series | None = None
    tg_throughput: _Series | None = None
    tg_req_throughput: _Series | None = None
    peak_throughput: _Series | None = None
    ttfr: _Series | None = None
    e2e_ttft: _Series | None = None


class _Report(msgspec.Struct, frozen=True):
    """What is needed of the report; other keys (time series of tens of kilobytes) are skipped."""

    version: str
    model: str
    prefix_caching_enabled: bool
    benchmarks: tuple[_Benchmark, ...]
    timestamp: str = ""


class RowKind(Enum):
    """What the rate of a row is about. Only DECODE rows belong into statistics of decoding."""

    PREFILL = "prefill"
    DECODE = "decode"
    CONTEXT_PREFILL = "context-prefill"
    CONTEXT_DECODE = "context-decode"


class FlagKind(Enum):
    """Why a number of a row cannot be taken as it stands."""

    WARM_UP = "warm-up"  # the first value is far below the others
    PEAK_COUNTS_CHUNKS = "peak-counts-chunks"  # a peak below the mean: chunks were counted, not tokens
    NOT_COLD = "not-cold"  # TTFT and prefill rate leave out a context that was loaded before
    UNSTABLE = "unstable"  # the values differ so much that they are no one measurement: no verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchyFlag:
    """A flag and the numbers that led to it, as one line."""

    kind: FlagKind
    evidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchySeries:
    """Values in their order; ``sd`` is the sample's (n - 1), None for one value; ``stated_sd`` what the file says."""

    values: tuple[float, ...]
    median: float
    mean: float
    sd: float | None
    stated_sd: float

    @property
    def n(self) -> int:
        """How many values there are."""
        return len(self.values)


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchyRow:
    """One row of llama-benchy's table, named as it names it (``pp512 @ d32768 (c4)``).

    ``rate_tok_s`` is over all streams; ``stream_tok_s`` the series per request, where the file has one. Times in
    seconds: ``first_response_s`` (ttfr: a role chunk counts) and ``ttft_s`` (e2e_ttft: first text).
    """

    name: str
    kind: RowKind
    concurrency: int
    context_tokens: int
    prompt_tokens: int
    output_tokens: int
    rate_tok_s: BenchySeries
    stream_tok_s: BenchySeries | None
    peak_tok_s: BenchySeries | None
    first_response_s: BenchySeries | None
    ttft_s: BenchySeries | None
    flags: tuple[BenchyFlag, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchyReport:
    """A report: what ran, and its rows in the file's order."""

    version: str
    model: str
    timestamp: str
    prefix_caching: bool
    rows: tuple[BenchyRow, ...]


def read_llama_benchy(data: bytes, *, source: str) -> BenchyReport:
    """Read a report; ``source`` names the file in errors.

    Raises UsageError when it is no JSON, or not of this form (with the path of the first wrong value).
    """
    try:
        report = msgspec.json.decode(data, type=_Report)
    except msgspec.DecodeError as error:
        message = f"{source} is no llama-benchy report: {error}"
        raise UsageError(message, hint="write it with: llama-benchy --format json --save-result FILE") from error
    rows = [row for item in report.benchmarks for row in _rows(item, prefix_caching=report.prefix_caching_enabled)]
    return BenchyReport(
        version=report.version,
        model=report.model,
        timestamp=report.timestamp,
        prefix_caching=report.prefix_caching_enabled,
        rows=tuple(rows),
    )


def _rows(item: _Benchmark, *, prefix_caching: bool) -> list[BenchyRow]:
    context = item.is_context_prefill_phase
    prefill = RowKind.CONTEXT_PREFILL if context else RowKind.PREFILL
    decode = RowKind.CONTEXT_DECODE if context else RowKind.DECODE
    pairs = (
        (prefill, item.pp_throughput, item.pp_req_throughput),
        (decode, item.tg_throughput, item.tg_req_throughput),
    )
    return [
        _row(item, kind, rate, stream, prefix_caching=prefix_caching)
        for kind, rate, stream in pairs
        if rate is not None and rate.values
    ]


def _row(item: _Benchmark, kind: RowKind, rate: _Series, stream: _Series | None, *, prefix_caching: bool) -> BenchyRow:
    is_prefill = kind in {RowKind.PREFILL, RowKind.CONTEXT_PREFILL}
    rates = _series(rate)
    peak = None if is_prefill else _series_or_none(item.peak_throughput)
    not_cold = is_prefill and prefix_caching and item.context_size > 0 and not item.is_context_prefill_phase
    return BenchyRow(
        name=_name(item, kind),
        kind=kind,
        concurrency=item.concurrency,
        context_tokens=item.context_size,
        prompt_tokens=item.prompt_size,
        output_tokens=item.response_size,
        rate_tok_s=rates,
        stream_tok_s=_series_or_none(stream),
        peak_tok_s=peak,
        first_response_s=_series_or_none(item.ttfr, scale=_MS_PER_S) if is_prefill else None,
        ttft_s=_series_or_none(item.e2e_ttft, scale=_MS_PER_S) if is_prefill else None,
        flags=_flags(rates, peak, context_tokens=item.context_size if not_cold else 0),
    )


def _flags(rates: BenchySeries, peak: BenchySeries | None, *, context_tokens: int) -> tuple[BenchyFlag, ...]:
    flags = []
    times = first_is_slow(rates.values, higher_is_faster=True)
    if times is not None:
        evidence = f"the first of {rates.n} values is {times:.2f} times below the median of the others"
        flags.append(BenchyFlag(kind=FlagKind.WARM_UP, evidence=evidence))
    if peak is not None and peak.median < rates.mean:
        evidence = f"a peak of {format_rate(peak.median)} tok/s below a mean of {format_rate(rates.mean)} counts chunks"
        flags.append(BenchyFlag(kind=FlagKind.PEAK_COUNTS_CHUNKS, evidence=evidence))
    if context_tokens:
        evidence = f"a context of {context_tokens:,} tokens was loaded before; that it was cached is not checked"
        flags.append(BenchyFlag(kind=FlagKind.NOT_COLD, evidence=evidence))
    low, high = min(rates.values), max(rates.values)
    if low <= 0 or high / low > _UNSTABLE:
        evidence = f"values from {format_rate(low)} to {format_rate(high)} tok/s are no one measurement"
        flags.append(BenchyFlag(kind=FlagKind.UNSTABLE, evidence=evidence))
    return tuple(flags)


def _name(item: _Benchmark, kind: RowKind) -> str:
    depth = f" @ d{item.context_size}" if item.context_size else ""
    sizes = {
        RowKind.PREFILL: f"pp{item.prompt_size}",
        RowKind.DECODE: f"tg{item.response_size}",
        RowKind.CONTEXT_PREFILL: "ctx_pp",
        RowKind.CONTEXT_DECODE: "ctx_tg",
    }
    return f"{sizes[kind]}{depth} (c{item.concurrency})"


def _series_or_none(series: _Series | None, *, scale: float = 1.0) -> BenchySeries | None:
    return _series(series, scale=scale) if series is not None and series.values else None


def _series(series: _Series, *, scale: float = 1.0) -> BenchySeries:
    values = tuple(value / scale for value in series.values)
    return BenchySeries(
        values=values, median=median(values), mean=fmean(values), sd=sample_sd(values), stated_sd=series.std / scale
    )


def _table(file: SourceFile) -> Table:
    report = read_llama_benchy(file.data, source=file.name)
    pairs: dict[tuple[int, int, int, int, bool], list[BenchyRow]] = {}
    for row in report.rows:
        loads = row.kind in {RowKind.CONTEXT_PREFILL, RowKind.CONTEXT_DECODE}
        key = (row.context_tokens, row.prompt_tokens, row.output_tokens, row.concurrency, loads)
        pairs.setdefault(key, []).append(row)
    return Table(
        source=READER.id,
        name=file.name,
        rows=tuple(_table_row(rows, loads=key[-1], caching=report.prefix_caching) for key, rows in pairs.items()),
        facts={"llama-benchy": report.version, "model": report.model, "measured": report.timestamp},
    )


def _table_row(rows: list[BenchyRow], *, loads: bool, caching: bool) -> Row:
    """Join the two lines that llama-benchy writes of one cell; loading a context is a cell of its own, and cold."""
    first = rows[0]
    prefill = next((row for row in rows if row.kind in {RowKind.PREFILL, RowKind.CONTEXT_PREFILL}), None)
    decode = next((row for row in rows if row.kind in {RowKind.DECODE, RowKind.CONTEXT_DECODE}), None)
    series = {
        "prefill_tok_s": prefill.rate_tok_s if prefill else None,
        "ttft_s": (prefill.ttft_s or prefill.first_response_s) if prefill else None,
        "decode_total_tok_s": decode.rate_tok_s if decode else None,
        "decode_tok_s": (decode.stream_tok_s or _of_one_stream(decode)) if decode else None,
        "peak_tok_s": decode.peak_tok_s if decode else None,
    }
    return Row(
        prompt_tokens=first.context_tokens if loads else first.prompt_tokens,
        output_tokens=first.output_tokens,
        depth=0 if loads else first.context_tokens,
        concurrency=first.concurrency,
        trial=None,
        trials=max(row.rate_tok_s.n for row in rows),
        label="loads the context" if loads else "",
        values=compact({name: found.median for name, found in series.items() if found is not None}),
        series={name: found.values for name, found in series.items() if found is not None},
        checks=_row_checks(first, loads=loads, caching=caching),
    )


def _of_one_stream(row: BenchyRow) -> BenchySeries | None:
    return row.rate_tok_s if row.concurrency == 1 else None


def _row_checks(row: BenchyRow, *, loads: bool, caching: bool) -> tuple[CheckResult, ...]:
    if loads or not row.context_tokens or not caching:
        return ()
    evidence = f"a context of {row.context_tokens:,} tokens was loaded before: its TTFT is not cold, nor is it checked"
    return (CheckResult(id="V01", status=Status.UNKNOWN, evidence=evidence),)


READER = Reader(
    id="llama-benchy",
    title="llama-benchy's JSON (--format json)",
    recognises=lambda file: any(starts_with_keys(file, key) for key in (b"latency_mode", b"prefix_caching_enabled")),
    read=_table,
    order=12,
)
