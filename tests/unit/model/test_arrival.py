import math

import pytest

from sparktune.model.arrival import AT_ONCE, Arrivals, Start


@pytest.mark.parametrize(
    ("arrivals", "label", "at_once"),
    [
        (AT_ONCE, "", True),
        (Arrivals(stagger_s=2.0), "stagger 2s", False),
        (Arrivals(stagger_s=0.25), "stagger 0.25s", False),
        (Arrivals(rate_per_s=0.5), "poisson 0.5/s", False),
    ],
)
def test_arrivals_name_themselves(arrivals: Arrivals, label: str, *, at_once: bool) -> None:
    assert (arrivals.label, arrivals.at_once) == (label, at_once)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"stagger_s": -1.0}, "not negative"),
        ({"rate_per_s": math.inf}, "finite"),
        ({"stagger_s": math.nan}, "finite"),
        ({"stagger_s": 1.0, "rate_per_s": 1.0}, "not both"),
    ],
)
def test_what_is_no_plan_is_refused(values: dict[str, float], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Arrivals(**values)


@pytest.mark.parametrize(("start", "at_once"), [(Start(), True), (Start(delay_s=0.1), False), (Start(after=0), False)])
def test_a_start_knows_whether_it_belongs_to_the_first_sends(start: Start, *, at_once: bool) -> None:
    assert start.at_once is at_once
