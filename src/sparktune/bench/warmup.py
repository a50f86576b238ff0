"""Decide after each warm-up wave whether the shape of a cell is warm.

Compilation, graph capture, autotuning and caches happen once per shape, so every cell is warmed up by waves of its own
shape, with prompts of their own. Warm means: the last three waves are each within 5 % of their mean, in TTFT and in
output rate (the agreement that a warm-up gate after a restart asks of its last three windows, there of ten requests
each). At most 8 waves, and no wave is begun that would end later than 120 s after the first began: a cell of minutes
is warmed up by one wave.
"""

__all__ = ["Continue", "WarmupPoint", "next_step", "point_of"]

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from sparktune.bench.metrics.output_tok_s import METRIC as OUTPUT_TOK_S
from sparktune.bench.metrics.ttft_s import METRIC as TTFT_S
from sparktune.bench.stats import relative_spread
from sparktune.model.metric import Metric, Unknown
from sparktune.model.options import Slo
from sparktune.model.trial import Trial
from sparktune.model.warmup import WarmupOutcome, WarmupPlan
from sparktune.units import Ratio, Seconds, TokensPerSecond, format_duration, format_percent

_WINDOWS = 3
_AGREE: Ratio = 0.05
_MOST_WAVES = 8
_LIMIT_S: Seconds = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Continue:
    """Send one more wave; ``why`` says what is still missing."""

    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WarmupPoint:
    """One warm-up wave: its median TTFT and its output rate. None where it gave none; then it is no window."""

    ttft_s: Seconds | None
    output_tok_s: TokensPerSecond | None


def point_of(trial: Trial) -> WarmupPoint:
    """Return a wave's point; one without values when a request of it failed."""
    if len(trial.completed) < len(trial.requests):
        return WarmupPoint(ttft_s=None, output_tok_s=None)
    return WarmupPoint(ttft_s=_value(TTFT_S, trial), output_tok_s=_value(OUTPUT_TOK_S, trial))


def next_step(plan: WarmupPlan, points: Sequence[WarmupPoint], *, elapsed_s: Seconds) -> Continue | WarmupOutcome:
    """Return whether another wave is needed, or how the warm-up ended.

    ``points`` has one entry per wave sent, failed ones included; ``elapsed_s`` is the time since the first began.
    """
    waves = len(points)
    spread = _spread(points)
    if plan.waves is not None:
        if waves < plan.waves:
            return Continue(why=f"{waves} of {plan.waves} waves sent")
        why = "" if plan.waves else "no warm-up was asked for"
        return WarmupOutcome(waves=waves, steady=None, spread=spread, why=why)
    if spread is not None and spread <= _AGREE:
        return WarmupOutcome(waves=waves, steady=True, spread=spread)
    missing = _missing(spread)
    limit = _limit(waves, elapsed_s)
    if limit:
        return WarmupOutcome(waves=waves, steady=False, spread=spread, why=f"{missing} {limit}")
    return Continue(why=missing)


def _value(metric: Metric, trial: Trial) -> float | None:
    answer = metric.compute(trial, Slo())
    return None if isinstance(answer, Unknown) else median(answer)


def _spread(points: Sequence[WarmupPoint]) -> Ratio | None:
    """Return the larger spread of the last windows' two series; None when there are too few windows."""
    windows = [
        (point.ttft_s, point.output_tok_s)
        for point in points
        if point.ttft_s is not None and point.output_tok_s is not None and min(point.ttft_s, point.output_tok_s) > 0
    ]
    last = windows[-_WINDOWS:]
    return max(relative_spread(series) for series in zip(*last, strict=True)) if len(last) == _WINDOWS else None


def _missing(spread: Ratio | None) -> str:
    if spread is None:
        return f"fewer than {_WINDOWS} waves gave a TTFT and a rate"
    return f"the last {_WINDOWS} waves differ from their mean by up to {format_percent(spread)}"


def _limit(waves: int, elapsed_s: Seconds) -> str:
    """Return which limit forbids another wave, or an empty text; the first wave is always allowed."""
    if waves >= _MOST_WAVES:
        return f"after {waves} waves, the most that are sent"
    if waves and elapsed_s * (waves + 1) / waves > _LIMIT_S:
        plural = "" if waves == 1 else "s"
        return f"after {waves} wave{plural}; another would end after the limit of {format_duration(_LIMIT_S)}"
    return ""
