"""Requests per second that met every limit of the user's objective; a failed request met none.

Formula: completed requests with TTFT, TPOT and E2E within their limits / (end of the wave - first send); the wave ends
    with the last output of the completed streams, or when a later one failed.
Unit: requests/s
Better: higher
Undefined when: no objective is set, no request completed, or a limit cannot be judged for a completed stream that met
    the others.
Source: Zhong et al., "DistServe: Disaggregating Prefill and Decoding for Goodput-optimized Large Language Model
    Serving", OSDI 2024; vLLM ``bench serve --goodput``.
"""

__all__ = ["METRIC"]

from functools import partial

from sparktune.bench.metrics._shared import e2e_s, each, tpot_s, ttft_s
from sparktune.model.metric import Better, Metric, Scope, Unknown
from sparktune.model.options import Slo
from sparktune.model.trial import Request, Trial
from sparktune.units import Nanoseconds, seconds_between


def _compute(trial: Trial, slo: Slo) -> tuple[float, ...] | Unknown:
    if slo.empty:
        return Unknown("no objective was set")
    judged = each(trial.completed, partial(_meets, slo=slo))
    if isinstance(judged, Unknown):
        return judged
    start = min(request.send_start_ns for request in trial.requests)
    span = seconds_between(start, max(_end_ns(request) for request in trial.requests))
    return (sum(judged) / span,) if span > 0 else Unknown("the wave ended at the instant at which it began")


def _meets(request: Request, *, slo: Slo) -> float | Unknown:
    limits = ((slo.ttft_s, ttft_s), (slo.tpot_s, tpot_s), (slo.e2e_s, e2e_s))
    judged = [(formula(request), limit) for limit, formula in limits if limit is not None]
    if any(not isinstance(value, Unknown) and value > limit for value, limit in judged):
        return 0.0
    return next((value for value, _ in judged if isinstance(value, Unknown)), 1.0)


def _end_ns(request: Request) -> Nanoseconds:
    last = request.timeline.last_ns
    return request.end_ns if last is None or not request.ok else last


METRIC = Metric(
    name="goodput_rps",
    title="goodput req/s",
    unit="requests/s",
    scope=Scope.WAVE,
    better=Better.HIGHER,
    compute=_compute,
    order=130,
)
