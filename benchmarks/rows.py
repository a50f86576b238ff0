"""What one client showed at one load, whichever client it is, and how that is printed."""

__all__ = ["HEAD", "Row", "benchy_row", "our_row", "row_cells", "row_record"]

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from benchy import BenchyRun

from sparktune.bench.accuracy import rate_error, spread, ttft_error_s
from sparktune.flows.reference_load import written_of
from sparktune.io.reference.plan import Fault
from sparktune.io.reference.truth import TruthRecord
from sparktune.model.calibration import LoadResult, Spread
from sparktune.units import format_seconds

HEAD = (
    ("", "", "", "stamp", "error", "", "TTFT", "error", "", "rate", "error", "CPU", "s per 1k tokens"),
    ("machine", "client", "c", "median", "p99", "max", "mean", "p99", "max", "mean", "max", "slope", "all"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Errors are sizes; CPU seconds are per 1,000 tokens and include decoding.

    ``slope_cpu`` is the difference of long and short answers, what a token costs; ``all_cpu`` everything for the long
    answers, with opening connections and starting waves (None for a client whose start-up is in it).
    """

    machine: str
    client: str
    concurrency: int
    stamp_s: Spread | None
    ttft_s: Spread | None
    rate: Spread | None
    slope_cpu: float
    all_cpu: float | None
    failed: int


def our_row(machine: str, short: LoadResult, result: LoadResult) -> Row:
    """Return the row of this project's client; ``short`` is the same load with short answers."""
    all_s, tokens = _cpu_s(result), result.accuracy.tokens
    return Row(
        machine=machine,
        client="sparktune",
        concurrency=result.load.concurrency,
        stamp_s=result.accuracy.stamp_s,
        ttft_s=result.accuracy.ttft_s,
        rate=result.accuracy.rate,
        slope_cpu=(all_s - _cpu_s(short)) / (tokens - short.accuracy.tokens) * 1000,
        all_cpu=all_s / tokens * 1000,
        failed=result.accuracy.failed,
    )


def _cpu_s(result: LoadResult) -> float:
    per_1k = (result.wave_cpu_s_per_1k or 0.0) + (result.decode_cpu_s_per_1k or 0.0)
    return per_1k * result.accuracy.tokens / 1000


def benchy_row(machine: str, concurrency: int, run: BenchyRun, log: Sequence[TruthRecord], slope_cpu: float) -> Row:
    """Return the row of llama-benchy.

    Its result has no request ids: the n-th value of a wave is taken to be the n-th request of that wave to arrive. The
    server's times hardly differ within a wave, so that a mix-up would not show.
    """
    truth = sorted(log, key=lambda record: record.origin_ns)[-len(run.ttft_s) :]
    written = [written_of(record) for record in truth if record.before_ns]
    ttft = [ttft_error_s(true, ours) for true, ours in zip(written, run.ttft_s, strict=True)]
    rate = [rate_error(true, ours) for true, ours in zip(written, run.rate_tok_s, strict=True)]
    return Row(
        machine=machine,
        client="llama-benchy",
        concurrency=concurrency,
        stamp_s=None,
        ttft_s=spread(ttft),
        rate=spread([error for error in rate if error is not None]),
        slope_cpu=slope_cpu,
        all_cpu=None,
        failed=sum(record.fault is not Fault.NONE for record in log),
    )


def row_cells(row: Row) -> tuple[str, ...]:
    """Return the cells of a row for the terminal."""
    stamp, ttft, rate = row.stamp_s, row.ttft_s, row.rate
    return (
        row.machine,
        row.client,
        str(row.concurrency),
        _seconds(stamp.median if stamp else None),
        _seconds(stamp.p99 if stamp else None),
        _seconds(stamp.maximum if stamp else None),
        _seconds(ttft.mean if ttft else None),
        _seconds(ttft.p99 if ttft else None),
        _seconds(ttft.maximum if ttft else None),
        _percent(rate.mean if rate else None),
        _percent(rate.maximum if rate else None),
        f"{row.slope_cpu:.4f}",
        "-" if row.all_cpu is None else f"{row.all_cpu:.4f}",
    )


def row_record(row: Row) -> dict[str, object]:
    """Return a row for JSON."""
    return asdict(row)


def _seconds(value: float | None) -> str:
    return "-" if value is None else format_seconds(value)


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value * 100:.3f} %"
