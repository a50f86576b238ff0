"""A calibration as text and as JSON: what this machine's own measurements can be trusted to."""

__all__ = ["calibration_json", "calibration_text", "columns", "failed_words"]

import json
import textwrap
from collections.abc import Sequence

from sparktune.bench.accuracy import largest_error
from sparktune.model.calibration import Calibration, Limit, LoadResult, Spread
from sparktune.model.engine import JsonValue
from sparktune.model.recording import StampSource
from sparktune.units import Ratio, Seconds, format_count, format_percent, format_seconds

_SCHEMA = 1
_WIDTH = 80
_UNKNOWN = "unknown"
_TOO_FEW = "-"
_WHY_P99 = "p99: fewer than 459 values; the maximum is given"
_TIMES_HEAD = (
    ("", "", "stamp", "error", "", "TTFT", "error", ""),
    ("streams", "chunks/s", "median", "p99", "max", "median", "p99", "max"),
)
_COST_HEAD = (
    ("", "rate err", "CPU s", "per 1k", ""),
    ("streams", "max", "wave", "decode", "stamps"),
)
_STEP_HEAD = (
    ("", "", "stamp", "TTFT", "rate", "largest", "server", ""),
    ("asked/s", "written", "p99", "max", "max", "error", "late", "held"),
)
_HELD = {Limit.NONE: "yes", Limit.CLIENT: "no", Limit.SERVER: "no: server"}
_LEGEND = (
    "stamp error: how far the stamp of an output chunk lies outside the server's send call for it; 0 is inside it.",
    "TTFT error: our time from send to first output against the server's from arrival to that chunk's send call.",
    "rate error: a stream's decode rate against what the server's first and last send call allow.",
    'A p99 needs 459 values, else there is "-".',
    "CPU: of this process per 1,000 tokens, while the waves run (connections included), and to decode them afterwards.",
)


def calibration_text(result: Calibration) -> str:
    """Render tables for a terminal."""
    where = f"Linux {result.kernel} {result.machine}, Python {result.python}, {result.cores} cores"
    title = f"sparktune {result.tool_version} on {where}: this client, judged by the log of a server with known timings"
    parts = [
        _wrap(title),
        columns((*_TIMES_HEAD, *(_times_row(point) for point in result.points))),
        columns((*_COST_HEAD, *(_cost_row(point) for point in result.points))),
        "\n".join(_wrap(line, indent=2) for line in _LEGEND),
    ]
    if result.knee.steps:
        parts += [columns((*_STEP_HEAD, *(_step_row(step, limit) for step, limit in result.knee.steps)))]
        parts += [_knee_words(result)]
    lost = [words for one in (*result.points, *(step for step, _ in result.knee.steps)) if (words := failed_words(one))]
    if lost:
        parts += ["\n".join(_wrap(f"{words}; they are in no figure", indent=2) for words in dict.fromkeys(lost))]
    return "\n\n".join(parts) + "\n"


def failed_words(load: LoadResult) -> str:
    """Say how many requests of a load did not end well, and how; "" where all did."""
    failed = load.accuracy.failed
    if not failed:
        return ""
    asked = f"{format_count(load.load.concurrency)} streams at {format_count(round(load.load.chunks_per_s))} chunks/s"
    how = f" ({load.failed_how})" if load.failed_how else ""
    return f"{asked}: {failed} of {load.accuracy.requests} requests did not end well{how}"


def calibration_json(result: Calibration) -> str:
    """Render schema 1: SI units, names carry them; absent is null with a ``why`` beside it."""
    knee = result.knee
    record: dict[str, JsonValue] = {
        "schema": _SCHEMA,
        "tool_version": result.tool_version,
        "python": result.python,
        "kernel": result.kernel,
        "machine": result.machine,
        "cores": result.cores,
        "points": [_record(point) for point in result.points],
        "knee": {
            "held_chunks_per_s": knee.held_per_s,
            "why": "no step held" if knee.held_per_s is None else "",
            "limit": knee.limit.value,
            "allowed_error": knee.allowed,
            "steps": [{**_record(step), "limit": limit.value} for step, limit in knee.steps],
        },
    }
    return json.dumps(record, indent=2, allow_nan=False) + "\n"


def columns(rows: Sequence[Sequence[str]]) -> str:
    """Align rows of equal length to the right, two blanks apart."""
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    lines = ("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)


def _times_row(point: LoadResult) -> tuple[str, ...]:
    accuracy = point.accuracy
    return (
        format_count(point.load.concurrency),
        _rate(point.written_per_s),
        *_spread_cells(accuracy.stamp_s),
        *_spread_cells(accuracy.ttft_s),
    )


def _cost_row(point: LoadResult) -> tuple[str, ...]:
    accuracy = point.accuracy
    return (
        format_count(point.load.concurrency),
        _percent(accuracy.rate.maximum if accuracy.rate else None),
        _cpu(point.wave_cpu_s_per_1k),
        _cpu(point.decode_cpu_s_per_1k),
        _stamps(point),
    )


def _step_row(step: LoadResult, limit: Limit) -> tuple[str, ...]:
    accuracy = step.accuracy
    return (
        format_count(round(step.load.chunks_per_s)),
        _rate(step.written_per_s),
        _spread_cells(accuracy.stamp_s)[1],
        _spread_cells(accuracy.ttft_s)[2],
        _percent(accuracy.rate.maximum if accuracy.rate else None),
        _percent(largest_error(step)),
        _seconds(step.late_max_s),
        _HELD[limit],
    )


def _knee_words(result: Calibration) -> str:
    knee = result.knee
    allowed = format_percent(knee.allowed)
    error = (
        f"An error is a stream's rate error, or the TTFT error or the 99th percentile of the stamps' errors as a share"
        f" of the TTFT ({format_seconds(knee.steps[0][0].load.ttft_s)})."
    )
    if knee.held_per_s is None:
        failed = all(step.accuracy.failed for step, _ in knee.steps)
        passed = "requests did not end well" if failed else f"errors passed {allowed}"
        reason = "the server itself was too slow" if knee.limit is Limit.SERVER else passed
        return _wrap(f"No step held: {reason}. {error}")
    held = f"{format_count(round(knee.held_per_s))} chunks/s held with every error within {allowed}"
    end = {
        Limit.NONE: "no faster step was tried",
        Limit.CLIENT: "the next step did not hold in two tries",
        Limit.SERVER: "the reference server could not write faster, so what this client can do beyond is unknown",
    }[knee.limit]
    return _wrap(f"Knee: {held}; {end}. {error}")


def _wrap(text: str, *, indent: int = 0) -> str:
    return textwrap.fill(text, _WIDTH, subsequent_indent=" " * indent)


def _record(point: LoadResult) -> dict[str, JsonValue]:
    accuracy, load = point.accuracy, point.load
    return {
        "concurrency": load.concurrency,
        "ttft_s": load.ttft_s,
        "itl_s": load.itl_s,
        "chunks_per_stream": load.chunks,
        "waves": load.waves,
        "asked_chunks_per_s": load.chunks_per_s,
        "written_chunks_per_s": point.written_per_s,
        "requests": accuracy.requests,
        "failed": accuracy.failed,
        "stamp_error_s": _spread_record(accuracy.stamp_s),
        "ttft_error_s": _spread_record(accuracy.ttft_s),
        "rate_error_ratio": _spread_record(accuracy.rate),
        "wave_cpu_s_per_1k_tokens": point.wave_cpu_s_per_1k,
        "decode_cpu_s_per_1k_tokens": point.decode_cpu_s_per_1k,
        "server_late_max_s": point.late_max_s,
        "stamps": _stamps(point),
        "why": "" if accuracy.stamp_s else "no request ended well",
    }


def _spread_record(spread: Spread | None) -> JsonValue:
    if spread is None:
        return None
    why = _WHY_P99 if spread.p99 is None else ""
    values = {"median": spread.median, "mean": spread.mean, "p99": spread.p99, "max": spread.maximum}
    return {"n": spread.n, **values, "why": why}


def _spread_cells(spread: Spread | None) -> tuple[str, str, str]:
    if spread is None:
        return _UNKNOWN, _UNKNOWN, _UNKNOWN
    p99 = _TOO_FEW if spread.p99 is None else format_seconds(spread.p99)
    return format_seconds(spread.median), p99, format_seconds(spread.maximum)


def _stamps(point: LoadResult) -> str:
    # One wave with stamps of our own makes the whole point one of that kind: the worse is told.
    kernel = bool(point.health) and all(health.source is StampSource.KERNEL for health in point.health)
    return StampSource.KERNEL.value if kernel else StampSource.USER.value


def _seconds(value: Seconds | None) -> str:
    return _UNKNOWN if value is None else format_seconds(value)


def _percent(value: Ratio | None) -> str:
    # Targets are hundredths of a percent: the one decimal of format_percent would hide them.
    return _UNKNOWN if value is None else f"{value * 100:.3f} %"


def _rate(value: float | None) -> str:
    return _UNKNOWN if value is None else format_count(round(value))


def _cpu(value: Seconds | None) -> str:
    return _UNKNOWN if value is None else f"{value:.4f}"
