"""Numbers and foreign text in words; shared by the forms that people read."""

__all__ = [
    "NOT_APPLICABLE",
    "UNKNOWN",
    "compares_nothing",
    "engine_words",
    "finite",
    "listed",
    "metric_words",
    "one_line",
    "printable",
    "setting_words",
    "table_text",
    "utc",
    "value_words",
    "why_unknown",
]

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from sparktune.model.cell import Cell
from sparktune.model.engine import EngineFacts
from sparktune.model.metric import MetricSummary
from sparktune.units import Seconds, format_percent, format_rate, format_seconds

UNKNOWN = "unknown"
NOT_APPLICABLE = "-"
_BETWEEN_STREAMS = ("ttft_spread_s", "ttft_gap_s", "ttft_max_over_median", "jain_", "decode_min_over_max")
_SHOWN = 4
_FORMULA_STARTS = tuple("=+-@＝＋－＠")  # noqa: RUF001 - full width, as East Asian keyboards write them


def value_words(value: float | None, unit: str) -> str:
    """Render a value by its unit; rates and counts bare, since their column says what they are."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    if unit == "s":
        return format_seconds(value)
    if unit == "share":
        return format_percent(value)
    return format_rate(value)


def metric_words(metric: MetricSummary | None, value: float | None, cell: Cell) -> str:
    """Render a metric's value in a cell's row; ``-`` where one stream has no other to be compared with."""
    if metric is None:
        return UNKNOWN
    return NOT_APPLICABLE if compares_nothing(metric, cell) else value_words(value, metric.unit)


def finite(value: float | None) -> float | None:
    """Return the value, or None when it is no number that a file format could hold."""
    return value if value is not None and math.isfinite(value) else None


def why_unknown(metric: MetricSummary) -> str:
    """Say why numbers of the metric are missing, or ""; never empty when the median is."""
    if metric.median is None:
        return one_line(metric.why) or "no reason was given"
    reasons = [one_line(metric.why)] if metric.why else []
    numbers = (metric.median, metric.minimum, metric.maximum, metric.p90, metric.p99)
    if any(number is not None and finite(number) is None for number in numbers):
        reasons.append("a value is not finite")
    tails = [name for name, value in (("p90", metric.p90), ("p99", metric.p99)) if value is None]
    if tails:
        positions = "draft positions" if metric.name.startswith("acceptance") else "turns"
        why = f"not defined over {positions}" if metric.by_position else f"too few values ({metric.n})"
        reasons.append(f"{', '.join(tails)}: {why}")
    return "; ".join(reasons)


def compares_nothing(metric: MetricSummary, cell: Cell) -> bool:
    """Whether the metric compares the streams of a wave, and the cell's waves have one."""
    return cell.concurrency == 1 and metric.median is None and metric.name.startswith(_BETWEEN_STREAMS)


def one_line(text: str) -> str:
    """Make foreign text - a server's words, a model's name - one printable line: nothing in it steers a terminal."""
    return printable(" ".join(text.split()))


def table_text(text: str) -> str:
    """Make foreign text a value of a CSV: a spreadsheet takes what begins like a formula for one, and would run it."""
    line = one_line(text)
    return f"'{line}" if line.startswith(_FORMULA_STARTS) else line


def printable(text: str) -> str:
    """Write control characters of foreign text as escapes; blanks stay as they are."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def setting_words(value: object) -> str:
    """Render what an arm sets as people write it: ``--name=value``, a switch as a word alone; never as Python does."""
    if isinstance(value, Mapping):
        return " ".join(_named(str(name), said) for name, said in value.items()) or "none"
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _named(name: str, said: object) -> str:
    if said is None:
        return f"{name} unset"
    return name if said is True else f"{name}={setting_words(said)}"


def listed(names: Sequence[str]) -> str:
    """Join names, the first few of many."""
    shown = ", ".join(names[:_SHOWN])
    return shown if len(names) <= _SHOWN else f"{shown} and {len(names) - _SHOWN} more"


def engine_words(engine: EngineFacts) -> str:
    """Render name and version; a version that the server does not tell is said to be unknown."""
    return f"{one_line(engine.name)} {one_line(engine.version) if engine.version else '(version unknown)'}"


def utc(wall_s: Seconds) -> str:
    """Render Unix time as ``2026-11-29 17:50:16Z``; out of the calendar's range it is unknown."""
    try:
        return datetime.fromtimestamp(wall_s, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
    except (OverflowError, ValueError, OSError):
        return UNKNOWN
