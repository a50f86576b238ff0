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
    ("", "", "", "stamp", "error", "", "TTFT", "error", "", "rate", "error", "CPU s/1k tok", ""),
    ("machine", "client", "c", "median", "p99", "max", "mean", "p99", "max", "mean", "max", "run", "+ decode"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Errors are sizes. ``decode_cpu`` is None for a client that decodes while it runs: it is in ``run_cpu``."""

    machine: str
    client: str
    concurrency: int
    stamp_s: Spread | None
    ttft_s: Spread | None
    rate: Spread | None
    run_cpu: float
    decode_cpu: float | None
    failed: int

    @property
    def cpu(self) -> float:
        """All CPU seconds per 1,000 tokens."""
        return self.run_cpu + (self.decode_cpu or 0.0)


def our_row(machine: str, result: LoadResult) -> Row:
    """Return the row of this project's client."""
    return Row(
        machine=machine,
        client="sparktune",
        concurrency=result.load.concurrency,
        stamp_s=result.accuracy.stamp_s,
        ttft_s=result.accuracy.ttft_s,
        rate=result.accuracy.rate,
        run_cpu=result.wave_cpu_s_per_1k or 0.0,
        decode_cpu=result.decode_cpu_s_per_1k or 0.0,
        failed=result.accuracy.failed,
    )


def benchy_row(machine: str, concurrency: int, run: BenchyRun, log: Sequence[TruthRecord], cpu_s_per_1k: float) -> Row:
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
        run_cpu=cpu_s_per_1k,
        decode_cpu=None,
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
        f"{row.run_cpu:.4f}",
        f"{row.cpu:.4f}",
    )


def row_record(row: Row) -> dict[str, object]:
    """Return a row for JSON."""
    return {**asdict(row), "cpu_s_per_1k_tokens": row.cpu}


def _seconds(value: float | None) -> str:
    return "-" if value is None else format_seconds(value)


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value * 100:.3f} %"
