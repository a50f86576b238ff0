"""What holds for every metric, whatever the wave."""

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.support.trials import START_NS, Spec, make_spec_cell, make_trial

from sparktune.bench.evaluate import all_metrics
from sparktune.bench.waves import held_back
from sparktune.model.metric import Metric, Scope, Unknown
from sparktune.model.options import Slo
from sparktune.model.trial import Request, Trial

_METRICS = all_metrics()
_SLO = Slo(ttft_s=0.5, tpot_s=0.05, e2e_s=2.0)
_SCALED = {"s": 1, "tok/s": -1, "share": 0, "1": 0, "tokens": 0}
_DELTA = {
    "prefix_hits": 30,
    "prefix_queries": 120,
    "preemptions": 2,
    "spec_drafts": 100,
    "spec_draft_tokens": 300,
    "spec_accepted_tokens": 140,
    "spec_accepted_per_position": [80, 60, 0],
}


@st.composite
def _streams(draw: st.DrawFn) -> Spec:
    first = draw(st.integers(min_value=1, max_value=2000))
    gaps = draw(st.lists(st.integers(min_value=0, max_value=500), max_size=6))
    outputs = [first + sum(gaps[:count]) for count in range(len(gaps) + 1)]
    tokens = st.lists(st.integers(min_value=1, max_value=6), min_size=len(outputs), max_size=len(outputs))
    return {
        "send": draw(st.integers(min_value=-20, max_value=0)),
        "outputs": outputs,
        "tokens": draw(st.none() | tokens),
        "completion": draw(st.none() | st.integers(min_value=0, max_value=40)),
        "first_tokens": draw(st.none() | st.integers(min_value=1, max_value=6)),
        "visible": draw(st.none() | st.just(outputs[-1])),
        "cached": draw(st.none() | st.integers(min_value=0, max_value=120)),
        "prompt": draw(st.none() | st.integers(min_value=1, max_value=120)),
        "failure": draw(st.sampled_from([None, None, None, "stall"])),
    }


@st.composite
def _waves(draw: st.DrawFn) -> Trial:
    streams = draw(st.lists(_streams(), min_size=1, max_size=4))
    depth = draw(st.sampled_from([0, 20]))
    wave = {
        "streams": streams,
        "counters": draw(st.none() | st.just(_DELTA)),
        "gauges": draw(st.just([]) | st.just([{"kv_use": 0.5}])),
    }
    return make_trial(wave, cell=make_spec_cell({"streams": len(streams), "depth": depth}))


def _values(metric: Metric, trial: Trial) -> tuple[float, ...] | None:
    answer = metric.compute(trial, _SLO)
    return None if isinstance(answer, Unknown) else answer


@given(trial=_waves())
def test_a_metric_has_as_many_values_as_its_scope_says(trial: Trial) -> None:
    """Each metric answers for any wave, and never for a part of it."""
    counts = {Scope.REQUEST: len(trial.completed), Scope.WAVE: 1, Scope.SERVER: 1, Scope.POSITION: 3}
    for metric in _METRICS:
        answer = metric.compute(trial, _SLO)

        if isinstance(answer, Unknown):
            assert answer.why, metric.name
            assert "{" not in answer.why, metric.name
        else:
            assert len(answer) == counts[metric.scope], metric.name


@given(trial=_waves())
def test_the_order_of_requests_does_not_matter(trial: Trial) -> None:
    turned = replace(trial, requests=trial.requests[::-1])
    for metric in _METRICS:
        one, other = _values(metric, trial), _values(metric, turned)

        if one is None or other is None:
            assert one is other, metric.name
        else:
            assert sorted(one) == pytest.approx(sorted(other)), metric.name


@given(trial=_waves(), factor=st.integers(min_value=2, max_value=50))
def test_a_slower_clock_scales_seconds_and_rates_alone(trial: Trial, factor: int) -> None:
    """Units are not mixed up: a wave that takes k times as long has k times the seconds and a kth of the rates.

    Goodput is left out: the objective does not become slower. Neither does what no engine writes: an answer that is a
    burst at one pace only is none of this law's.
    """
    health = replace(trial.health, send_skew_s=trial.health.send_skew_s * factor)
    slow = replace(trial, health=health, requests=tuple(_slowed(request, factor) for request in trial.requests))
    assume([held_back(request) for request in trial.requests] == [held_back(request) for request in slow.requests])
    for metric in _METRICS:
        if metric.unit == "requests/s":
            continue
        before, after = _values(metric, trial), _values(metric, slow)

        if before is None or after is None:
            assert before is after, metric.name
        else:
            scaled = [value * factor ** _SCALED[metric.unit] for value in before]
            assert after == pytest.approx(scaled), metric.name


def _slowed(request: Request, factor: int) -> Request:
    def later(instant: int) -> int:
        return START_NS + (instant - START_NS) * factor

    timeline = request.timeline
    visible = timeline.visible_ns
    return replace(
        request,
        send_start_ns=later(request.send_start_ns),
        end_ns=later(request.end_ns),
        timeline=replace(
            timeline,
            output_ns=tuple(later(instant) for instant in timeline.output_ns),
            visible_ns=None if visible is None else later(visible),
        ),
    )


@pytest.mark.parametrize("name", ["jain_ttft", "jain_decode", "decode_min_over_max"])
@given(trial=_waves())
def test_an_index_of_fairness_is_at_most_one(name: str, trial: Trial) -> None:
    values = _values(next(metric for metric in _METRICS if metric.name == name), trial)

    if values is not None:
        assert 0 < values[0] <= 1 + 1e-9
        assert name == "decode_min_over_max" or values[0] >= 1 / len(trial.requests) - 1e-9
