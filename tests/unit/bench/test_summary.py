"""A cell's value is the median of its trials' medians, and a tail is shown only where there are enough values."""

from collections.abc import Sequence
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.trials import make_spec_cell, make_trial

from sparktune.bench.summary import summarize
from sparktune.model.metric import Better, Metric, MetricSummary, Scope, Unknown
from sparktune.model.options import Slo

_VALUES = st.lists(st.floats(min_value=-1e6, max_value=1e6), min_size=1, max_size=5)


def _summary(answers: Sequence[tuple[float, ...] | Unknown], scope: Scope = Scope.REQUEST) -> MetricSummary:
    """Summarise a metric that gives these answers, one per trial."""
    cell = make_spec_cell({})
    trials = [make_trial({}, cell=cell, index=index) for index in range(len(answers))]
    metric = Metric(
        name="x",
        title="X",
        unit="s",
        scope=scope,
        better=Better.LOWER,
        compute=lambda trial, _slo: answers[trial.index],
        in_table=True,
    )
    return summarize(metric, trials, Slo())


def test_the_median_is_over_trials_not_over_requests() -> None:
    """A wave of many streams must not outvote the other trials."""
    summary = _summary([(1.0, 1.0, 1.0, 1.0, 1.0), (2.0,), (4.0,)])

    assert summary.median == 2.0
    assert (summary.minimum, summary.maximum, summary.n, summary.trials) == (1.0, 4.0, 7, 3)
    assert summary.per_trial == (1.0, 2.0, 4.0)
    assert (summary.why, summary.title, summary.unit, summary.in_table) == ("", "X", "s", True)


def test_a_trial_without_a_value_is_counted_and_said() -> None:
    summary = _summary([(1.0,), Unknown("no count"), Unknown("no count")])

    assert summary.median == 1.0
    assert summary.per_trial == (1.0, None, None)
    assert summary.why == "2 of 3 trials gave no value: no count"


def test_no_value_at_all_says_why() -> None:
    summary = _summary([Unknown("no count"), Unknown("no output")])

    assert (summary.median, summary.minimum, summary.maximum, summary.n) == (None, None, None, 0)
    assert summary.why == "no count; no output"


def test_no_trial_says_so() -> None:
    assert _summary([]).why == "no trial finished"


@pytest.mark.parametrize(
    ("count", "p90", "p99"),
    [(63, None, None), (64, 58.0, None), (458, 413.0, None), (459, 414.0, 455.0)],
)
def test_a_tail_needs_values(count: int, p90: float | None, p99: float | None) -> None:
    summary = _summary([tuple(float(value) for value in range(1, count + 1))])

    assert (summary.p90, summary.p99) == (p90, p99)


def test_positions_keep_their_curve() -> None:
    """The median over positions would say nothing; the third trial drafted less."""
    summary = _summary([(0.8, 0.6, 0.1), (0.9, 0.5, 0.3), (0.7, 0.4)], Scope.POSITION)

    assert summary.by_position == (0.8, 0.5)
    assert summary.p90 is None


def test_other_metrics_have_no_curve() -> None:
    assert _summary([(0.8, 0.6)]).by_position == ()


@given(st.lists(_VALUES, min_size=1, max_size=5))
def test_the_median_is_between_the_extremes(answers: list[list[float]]) -> None:
    summary = _summary([tuple(answer) for answer in answers])

    assert summary.minimum is not None
    assert summary.median is not None
    assert summary.maximum is not None
    assert summary.minimum <= summary.median <= summary.maximum
    assert summary.median == median(median(answer) for answer in answers)


@given(st.lists(_VALUES, min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_the_order_of_requests_and_trials_does_not_matter(answers: list[list[float]], random: object) -> None:
    shuffled = [sorted(answer, key=lambda _: random.random()) for answer in answers]  # type: ignore[attr-defined]
    shuffled.reverse()
    one, other = _summary([tuple(answer) for answer in answers]), _summary([tuple(answer) for answer in shuffled])

    assert (one.median, one.minimum, one.maximum) == (other.median, other.minimum, other.maximum)
