"""Which configuration is beaten by which: a picture that says it wrongly chooses for its reader."""

from hypothesis import given
from hypothesis import strategies as st

from sparktune.report.charts.pareto import Pareto, ParetoPoint, frontier, pareto
from sparktune.report.page.parts import NARROW, WIDE
from sparktune.report.svg.picture import Missing, Picture

_POINTS = st.lists(
    st.builds(
        ParetoPoint,
        name=st.just("k=1"),
        x=st.integers(1, 6).map(float),
        y=st.integers(1, 6).map(float),
        unfit=st.sampled_from(["", "", "beyond"]),
    ),
    max_size=10,
)


def _point(name: str, wait: float, rate: float, unfit: str = "") -> ParetoPoint:
    return ParetoPoint(name=name, x=wait, y=rate, unfit=unfit)


def test_what_no_other_beats() -> None:
    points = [_point("fast", 2, 50), _point("large", 5, 90), _point("worse", 5, 80), _point("same", 2, 50)]
    assert frontier(points) == {0, 1, 3}


def test_what_is_beyond_a_limit_beats_nothing_and_is_no_choice() -> None:
    points = [_point("unfit", 1, 100, "ttft_max_s<=0.5 is 1"), _point("fit", 2, 50)]
    assert frontier(points) == {1}


@given(_POINTS)
def test_every_fit_point_is_on_it_or_beaten_by_one_that_is(points: list[ParetoPoint]) -> None:
    best = frontier(points)
    fit = {place for place, one in enumerate(points) if not one.unfit}
    assert best <= fit
    assert bool(best) == bool(fit)
    for place in fit - best:
        one = points[place]
        assert any(points[other].x <= one.x and points[other].y >= one.y for other in best)


def _plan(*points: ParetoPoint) -> Pareto:
    return Pareto(
        x_name="ttft_max_s",
        x_unit="s",
        y_name="output_tok_s",
        y_unit="tok/s",
        points=points,
        x_limit=3.0,
        absent=(("k=9", "does not run: out of memory"),),
    )


def test_the_description_says_all_that_is_drawn() -> None:
    """Who cannot see the picture gets the same: numbers, limits, who is beaten, and what is missing."""
    picture = pareto(
        _plan(_point("k=1", 2, 50), _point("k=2", 2.5, 40), _point("k=3", 5, 90, "ttft_max_s<=3 is 5")), WIDE
    )
    assert isinstance(picture, Picture)
    assert picture.description == (
        "1 k=1: 50.0 tok/s, 2.000 s; 2 k=2: 40.0 tok/s, 2.500 s · beaten by another; "
        "3 k=3: 90.0 tok/s, 5.000 s · beyond a limit: ttft_max_s<=3 is 5; "
        "k=9 is not in it: does not run: out of memory"
    )
    assert ">at most 3 s<" in picture.body


def test_points_in_one_place_keep_their_numbers_apart() -> None:
    picture = pareto(_plan(*(_point(f"k={number}", 2, 50) for number in range(4))), NARROW)
    assert isinstance(picture, Picture)
    for number in "1234":
        assert picture.body.count(f">{number}<") == 2, "beside its mark, and in the list below"


def test_nothing_to_draw_says_what_is_missing() -> None:
    assert pareto(_plan(), WIDE) == Missing("no visit has both ttft_max_s and output_tok_s")
