"""The statistics that metrics, checks and importers share."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktune.bench.stats import first_is_slow, jain_index, nearest_rank, relative_spread, sample_sd, trend

_POSITIVE = st.floats(min_value=1e-3, max_value=1e6)


@pytest.mark.parametrize(
    ("values", "expected"),
    [((1, 1, 1), 1.0), ((1, 0, 0, 0), 0.25), ((1, 3), 0.8), ((0, 0), None)],
)
def test_jain_index(values: tuple[float, ...], expected: float | None) -> None:
    assert jain_index(values) == expected


@given(st.lists(_POSITIVE, min_size=1, max_size=20))
def test_jain_index_is_between_one_nth_and_one(values: list[float]) -> None:
    index = jain_index(values)

    assert index is not None
    assert 1 / len(values) - 1e-9 <= index <= 1 + 1e-9


@pytest.mark.parametrize(
    ("share", "expected"),
    [(0.5, 50), (0.9, 90), (0.99, 99), (0.991, 100), (1.0, 100), (0.0, 1)],
)
def test_nearest_rank_is_an_observed_value(share: float, expected: int) -> None:
    assert nearest_rank(range(100, 0, -1), share) == expected


def test_sample_sd_divides_by_one_less_than_n() -> None:
    assert sample_sd([58.1, 70.9, 71.4]) == pytest.approx(7.5386, abs=1e-4)
    assert sample_sd([1.0]) is None


def test_relative_spread_is_the_largest_distance_from_the_mean() -> None:
    assert relative_spread([90, 100, 110]) == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("values", "higher_is_faster", "expected"),
    [
        ((58.1, 70.9, 71.4), True, 71.15 / 58.1),
        ((90.0, 100.0, 100.0), True, 100 / 90),
        ((91.0, 100.0, 100.0), True, None),
        ((110.0, 100.0, 100.0), True, None),
        ((2.0, 1.0, 1.0), False, 2.0),
        ((0.5, 1.0, 1.0), False, None),
        ((50.0, 100.0, 60.0, 140.0), True, None),
        ((60.0, 90.0, 100.0, 110.0), True, None),
        ((40.0, 90.0, 100.0, 110.0), True, 2.5),
        ((50.0, 100.0), True, None),
        ((0.0, 1.0, 1.0), True, None),
        ((1.0, 0.0, 1.0), True, None),
        ((), True, None),
    ],
    ids=[
        "a first run that compiles",
        "just beyond ten percent",
        "within ten percent",
        "a fast first",
        "a slow first time",
        "a fast first time",
        "noise asks for a larger step",
        "within five deviations of the others",
        "beyond five deviations of the others",
        "two values tell no trend",
        "zero has no logarithm",
        "zero among the others",
        "nothing",
    ],
)
def test_first_is_slow(values: tuple[float, ...], higher_is_faster: bool, expected: float | None) -> None:  # noqa: FBT001 - a column of the table
    actual = first_is_slow(values, higher_is_faster=higher_is_faster)

    assert actual == (None if expected is None else pytest.approx(expected, rel=1e-3))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((1, 1.1, 1.2, 1.3, 1.5), 1.4 / 1.05),
        ((5, 4, 3, 2, 1), 1.5 / 4.5),
        ((1, 2, 3, 4), None),
        ((1, 1.01, 1.02, 1.03, 1.04), None),
        ((2, 1, 3, 4, 5), None),
        ((2, 1, 3, 4, 5, 6, 7, 8), 6.5 / 2.5),
        ((1, 1, 2, 2, 3), None),
        ((1, 2, 3, 0, 5), None),
        ((), None),
        (tuple(1 + place % 2 for place in range(1000)), None),
        (tuple(range(1, 1001)), 750.5 / 250.5),
    ],
    ids=[
        "rising",
        "falling",
        "four may be chance",
        "too little to matter",
        "one of five stands wrong",
        "one of eight may",
        "ties speak against it",
        "nothing is no time",
        "none",
        "to and fro, a thousand",
        "rising, a thousand",
    ],
)
def test_trend(values: tuple[float, ...], expected: float | None) -> None:
    assert trend(values) == (None if expected is None else pytest.approx(expected))


def test_a_trend_is_seen_in_one_order_of_a_hundred_at_most() -> None:
    """Counted over all orders: a rule that cried wolf more often would be ignored."""
    orders = list(itertools.permutations((1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)))
    rising = sum((trend(order) or 0) > 1 for order in orders)
    falling = sum((trend(order) or 9) < 1 for order in orders)

    assert 0 < rising == falling < 0.01 * len(orders)
