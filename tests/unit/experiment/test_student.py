"""Quantiles of t against a printed table: the interval of every verdict stands on them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktune.experiment.student import t_below, t_quantile

# From a printed table of critical values (two-sided)
TABLE = [
    (0.05, 1, 12.706),
    (0.05, 2, 4.303),
    (0.05, 4, 2.776),
    (0.05, 7, 2.365),
    (0.05, 30, 2.042),
    (0.01, 2, 9.925),
    (0.01, 4, 4.604),
    (0.01, 7, 3.499),
    (0.001, 10, 4.587),
    (0.10, 120, 1.658),
]


@pytest.mark.parametrize(("two_sided", "freedom", "critical"), TABLE)
def test_critical_values_are_those_of_the_table(two_sided: float, freedom: int, critical: float) -> None:
    assert t_quantile(1 - two_sided / 2, freedom) == pytest.approx(critical, abs=0.0006)


@given(st.floats(0.0005, 0.9995), st.integers(1, 200))
def test_a_quantile_leaves_its_probability_below(probability: float, freedom: int) -> None:
    assert t_below(t_quantile(probability, freedom), freedom) == pytest.approx(probability, abs=1e-9)


@given(st.floats(-50, 50), st.floats(0.5, 100))
def test_the_distribution_is_symmetric_and_rises(t: float, freedom: float) -> None:
    assert t_below(t, freedom) + t_below(-t, freedom) == pytest.approx(1)
    assert t_below(t, freedom) <= t_below(t + 0.5, freedom)


@pytest.mark.parametrize("probability", [0.0, 1.0, -0.1, 1.5])
def test_what_is_no_probability_inside_has_no_quantile(probability: float) -> None:
    with pytest.raises(ValueError, match="probability"):
        t_quantile(probability, 3)
