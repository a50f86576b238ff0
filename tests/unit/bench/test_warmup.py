"""Warm-up goes on until the last waves agree, or a limit is reached; it always says which."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.trials import make_spec_cell, make_trial

from sparktune.bench.warmup import Continue, WarmupPoint, next_step, point_of
from sparktune.model.trial import Phase
from sparktune.model.warmup import WarmupOutcome, WarmupPlan

_AUTO = WarmupPlan()
_FAILED = WarmupPoint(ttft_s=None, output_tok_s=None)


def _points(*ttfts: float, rate: float = 10.0) -> list[WarmupPoint]:
    return [WarmupPoint(ttft_s=ttft, output_tok_s=rate) for ttft in ttfts]


def test_the_first_wave_is_always_sent() -> None:
    assert next_step(_AUTO, [], elapsed_s=1000.0) == Continue(why="fewer than 3 waves gave a TTFT and a rate")


@pytest.mark.parametrize("count", [1, 2])
def test_fewer_than_three_waves_cannot_agree(count: int) -> None:
    assert isinstance(next_step(_AUTO, _points(*[1.0] * count), elapsed_s=1.0), Continue)


def test_agreement_ends_it() -> None:
    outcome = next_step(_AUTO, _points(9.0, 1.0, 1.04, 0.96), elapsed_s=10.0)

    assert outcome == WarmupOutcome(waves=4, steady=True, spread=pytest.approx(0.04))


def test_the_output_rate_must_agree_too() -> None:
    points = [*_points(1.0, 1.0), *_points(1.0, rate=20.0)]

    assert isinstance(next_step(_AUTO, points, elapsed_s=10.0), Continue)


def test_a_trend_of_six_percent_goes_on() -> None:
    step = next_step(_AUTO, _points(1.06, 1.0, 0.94), elapsed_s=10.0)

    assert step == Continue(why="the last 3 waves differ from their mean by up to 6.0 %")


def test_eight_waves_are_enough_of_a_try() -> None:
    outcome = next_step(_AUTO, _points(*range(1, 9)), elapsed_s=10.0)

    assert isinstance(outcome, WarmupOutcome)
    assert (outcome.waves, outcome.steady) == (8, False)
    assert "after 8 waves, the most that are sent" in outcome.why


@pytest.mark.parametrize(
    ("waves", "elapsed_s", "goes_on"),
    [(1, 59.0, True), (1, 61.0, False), (1, 600.0, False), (2, 79.0, True), (2, 81.0, False)],
    ids=["two fit", "the second would end late", "one of minutes is enough", "three fit", "the third would end late"],
)
def test_no_wave_begins_that_would_end_after_two_minutes(waves: int, elapsed_s: float, goes_on: bool) -> None:  # noqa: FBT001 - a column of the table
    """A cell of long prompts must not be warmed up for longer than it is measured."""
    step = next_step(_AUTO, _points(*[1.0] * waves), elapsed_s=elapsed_s)

    assert isinstance(step, Continue) is goes_on
    if isinstance(step, WarmupOutcome):
        assert step.steady is False
        assert "2 min 00 s" in step.why


def test_a_failed_wave_is_sent_but_agrees_with_nothing() -> None:
    assert isinstance(next_step(_AUTO, [*_points(1.0, 1.0), _FAILED], elapsed_s=1.0), Continue)

    outcome = next_step(_AUTO, [_FAILED] * 8, elapsed_s=1.0)

    assert outcome == WarmupOutcome(
        waves=8,
        steady=False,
        why="fewer than 3 waves gave a TTFT and a rate after 8 waves, the most that are sent",
    )


def test_a_rate_of_zero_agrees_with_nothing() -> None:
    """A relative distance from a mean of 0 is no number."""
    assert isinstance(next_step(_AUTO, _points(1.0, 1.0, 1.0, rate=0.0), elapsed_s=1.0), Continue)


def test_off_says_so() -> None:
    assert next_step(WarmupPlan(waves=0), [], elapsed_s=0.0) == WarmupOutcome(
        waves=0, steady=None, why="no warm-up was asked for"
    )


def test_a_fixed_number_is_sent_whatever_they_say() -> None:
    plan = WarmupPlan(waves=4)

    assert next_step(plan, _points(1.0, 1.0, 1.0), elapsed_s=9999.0) == Continue(why="3 of 4 waves sent")
    assert next_step(plan, _points(1.0, 1.0, 1.0, 1.0), elapsed_s=1.0) == WarmupOutcome(
        waves=4, steady=None, spread=0.0
    )


def test_a_wave_becomes_its_median_ttft_and_its_rate() -> None:
    cell = make_spec_cell({"streams": 3})
    wave = {"streams": [{"outputs": [100, 1000]}, {"outputs": [200, 1000]}, {"outputs": [900, 1000]}]}

    point = point_of(make_trial(wave, cell=cell, phase=Phase.WARMUP))

    assert point == WarmupPoint(ttft_s=0.2, output_tok_s=6.0)


@pytest.mark.parametrize("second", [{"outputs": [100], "failure": "stall"}, {"outputs": [], "failure": "connect"}])
def test_a_wave_that_lost_a_stream_gives_no_values(second: dict[str, object]) -> None:
    cell = make_spec_cell({"streams": 2})

    assert point_of(make_trial({"streams": [{"outputs": [100, 200]}, second]}, cell=cell)) == _FAILED


def test_a_wave_without_counts_gives_no_rate() -> None:
    wave = {"streams": [{"outputs": [100], "tokens": None, "completion": None}]}

    assert point_of(make_trial(wave, cell=make_spec_cell({}))) == WarmupPoint(ttft_s=0.1, output_tok_s=None)


@given(st.lists(st.floats(min_value=0.01, max_value=100.0), max_size=12), st.floats(min_value=0.0, max_value=1000.0))
def test_it_always_ends(ttfts: list[float], elapsed_s: float) -> None:
    step = next_step(_AUTO, _points(*ttfts), elapsed_s=elapsed_s)

    assert isinstance(step, WarmupOutcome) or len(ttfts) < 8
