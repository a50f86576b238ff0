"""What a count proves: against published values, and against the definition."""

import math

import pytest

from sparktune.bench.quality.proportion import binomial_at_least, exact_interval, highest_share


@pytest.mark.parametrize(
    ("count", "total", "low", "high"),
    [
        (3, 3, 0.025 ** (1 / 3), 1.0),  # three of three prove 29 %, no more
        (0, 3, 0.0, 1 - 0.025 ** (1 / 3)),
        (26, 26, 0.025 ** (1 / 26), 1.0),
        (5, 10, 0.18709, 0.81291),  # a table value of Clopper and Pearson's limits
        (1, 10, 0.00253, 0.44502),
    ],
)
def test_the_interval_is_that_of_clopper_and_pearson(count: int, total: int, low: float, high: float) -> None:
    found = exact_interval(count, total)
    assert found.low == pytest.approx(low, abs=1e-5)
    assert found.high == pytest.approx(high, abs=1e-5)


def test_nothing_asked_proves_nothing() -> None:
    found = exact_interval(0, 0)
    assert (found.low, found.high) == (0.0, 1.0)


@pytest.mark.parametrize("total", [1, 7, 26])
def test_the_ends_are_where_half_of_the_rest_is_left(total: int) -> None:
    for count in range(1, total):
        found = exact_interval(count, total)
        assert binomial_at_least(count, total, found.low) == pytest.approx(0.025)
        assert 1 - binomial_at_least(count + 1, total, found.high) == pytest.approx(0.025)


@pytest.mark.parametrize("share", [0.05, 0.5, 0.8, 0.97])
def test_the_interval_holds_the_truth_as_often_as_it_says(share: float) -> None:
    total = 26
    held = math.fsum(
        math.comb(total, count) * share**count * (1 - share) ** (total - count)
        for count in range(total + 1)
        if exact_interval(count, total).low <= share <= exact_interval(count, total).high
    )
    assert held >= 0.95


def test_a_bound_on_one_side_is_the_rule_of_three() -> None:
    assert highest_share(0, 26, 0.05) == pytest.approx(1 - 0.05 ** (1 / 26))
    assert highest_share(4, 4, 0.05) == 1.0


def test_more_than_all_is_refused() -> None:
    with pytest.raises(ValueError, match="4 of 3"):
        exact_interval(4, 3)
