"""The writer of SVG: escaping, places, round marks, colours."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktune.report.charts.numbers import change_tick, change_words, unit_of, value_tick
from sparktune.report.svg.draw import fitting, text_width, x_axis
from sparktune.report.svg.markup import Markup, element, number
from sparktune.report.svg.palette import DARK, HEAT_STEPS, LIGHT, heat_class, rules, variables
from sparktune.report.svg.scale import Linear, Log, round_step


def test_text_of_others_cannot_become_markup() -> None:
    assert element("b", "<i>&", title='"><x') == '<b title="&quot;&gt;&lt;x">&lt;i&gt;&amp;</b>'


def test_control_characters_are_written_out() -> None:
    """XML 1.0 has no way to hold them, and one would void the whole file."""
    assert element("b", "\x00\x1b\ud800") == "<b>\\x00\\x1b\\ud800</b>"


def test_markup_is_kept() -> None:
    assert element("p", Markup("<b></b>"), "a", id=None, class_="x") == '<p class="x"><b></b>a</p>'


@pytest.mark.parametrize(("value", "written"), [(1.0, "1"), (0.04, "0"), (-0.04, "0"), (1.25, "1.2"), (-3.5, "-3.5")])
def test_places_are_short(value: float, written: str) -> None:
    assert number(value) == written


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_no_place_is_invented(value: float) -> None:
    """A picture that puts what is unknown at 0 lies."""
    with pytest.raises(ValueError, match="no place"):
        number(value)


@given(low=st.floats(1e-200, 1e200), factor=st.floats(1, 1e90), value=st.floats(0, 1e300))
def test_a_place_is_on_the_axis(low: float, factor: float, value: float) -> None:
    scale = Log(low=low, high=low * factor, start=10, end=110)

    assert 10 <= scale.place(value) <= 110
    assert all(scale.low * (1 - 1e-9) <= tick <= scale.high * (1 + 1e-9) for tick in scale.ticks())
    assert len(scale.ticks()) <= 12


@given(low=st.floats(-1e9, 1e9), width=st.floats(0, 1e9), value=st.floats(-1e12, 1e12))
def test_a_linear_place_is_on_the_axis(low: float, width: float, value: float) -> None:
    scale = Linear(low=low, high=low + width, start=100, end=0)

    assert 0 <= scale.place(value) <= 100
    assert len(scale.ticks()) <= 12


def test_marks_are_round() -> None:
    assert Linear(low=0, high=9.3, start=0, end=1).ticks() == (0, 2, 4, 6, 8)
    assert Log(low=3, high=2000, start=0, end=1).ticks() == (5, 10, 20, 50, 100, 200, 500, 1000, 2000)
    assert Log(low=0.9, high=1.2, start=0, end=1).ticks(4) == pytest.approx((0.9, 1.0, 1.1, 1.2))
    assert round_step(10, 5) == 2
    assert round_step(5e-324, 5) == 0  # its parts are no floats


@pytest.mark.parametrize(("low", "high"), [(0, 1), (2, 1), (1, math.inf)])
def test_a_logarithm_that_does_not_exist_is_refused(low: float, high: float) -> None:
    with pytest.raises(ValueError, match="no logarithmic scale"):
        Log(low=low, high=high, start=0, end=1)


def test_words_beside_an_axis_do_not_touch() -> None:
    """Numbers that run into each other are other numbers."""
    scale = Linear(low=0, high=10, start=0, end=40)

    drawn = x_axis(scale, top=0, bottom=10, words=lambda value: f"{value:g} minutes", count=10)

    assert drawn.count("<text") < drawn.count("<line")


def test_long_names_are_cut_in_the_middle() -> None:
    assert fitting("short", 100) == "short"
    cut = fitting("a-very-long-name-of-a-metric-that-ends-here", 100)
    assert text_width(cut) <= 110
    assert cut.startswith("a-")
    assert cut.endswith("here")


@pytest.mark.parametrize(
    ("ratio", "tick", "words"),
    [
        (1.0, "0 %", "+0.0 %"),
        (1.1, "+10 %", "+10.0 %"),
        (0.985, "-1.5 %", "-1.5 %"),
        (4.0, "×4", "×4.00"),  # noqa: RUF001 - the sign of multiplication
        (0.2, "÷5", "÷5.00"),
        (1e7, "×1e+07", "×1e+07"),  # noqa: RUF001
        (0.0, "÷inf", "÷inf"),
    ],
)
def test_ratios_are_said_as_changes_or_factors(ratio: float, tick: str, words: str) -> None:
    assert change_tick(ratio) == tick
    assert change_words(ratio) == words


@pytest.mark.parametrize(
    ("value", "unit", "written"),
    [(0.25, "s", "250 ms"), (2.0, "s", "2 s"), (0.0, "s", "0 s"), (1500.0, "tok/s", "1,500"), (1e-6, "1", "1e-06")],
)
def test_marks_have_their_unit(value: float, unit: str, written: str) -> None:
    assert value_tick(value, unit) == written


def test_units_are_told_by_the_name_of_a_metric() -> None:
    names = ("output_tok_s", "ttft_s", "prefix_hit_share", "acceptance_length")
    assert [unit_of(name) for name in names] == ["tok/s", "s", "share", "1"]


def test_both_themes_have_every_colour() -> None:
    assert LIGHT.keys() == DARK.keys()
    assert rules().count("var(--") > 30
    assert "var(" not in rules(DARK)
    assert variables(LIGHT).startswith("--bg:")


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_words_can_be_read_on_every_colour(theme: dict[str, str]) -> None:
    """WCAG 2 asks for a contrast of 4.5 to 1."""
    heat = [name for name in theme if name.startswith("h-")]
    for back in ("surface", "bg", "a-soft", "b-soft", *heat):
        assert _contrast(theme["ink"], theme[back]) >= 4.5, back
    for front in ("muted", "a", "b", "ok", "warn", "bad"):
        for back in ("surface", "bg"):
            assert _contrast(theme[front], theme[back]) >= 4.5, (front, back)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_what_is_drawn_stands_out(theme: dict[str, str]) -> None:
    """WCAG 2 asks for 3 to 1 for what carries meaning; waiting is told from output by its place too."""
    for front in ("a", "b", "muted", "ink"):
        assert _contrast(theme[front], theme["surface"]) >= 3
    for one in ("a", "b"):
        assert _contrast(theme[one], theme["wait"]) >= 2


def test_a_larger_effect_is_a_stronger_colour() -> None:
    found = [heat_class(place / 10, 1.0) for place in range(-20, 21, 4)]

    assert found[0] == f"h-n{HEAT_STEPS}"
    assert found[-1] == f"h-{HEAT_STEPS}"
    assert heat_class(0.0, 1.0) == "h-0"
    for theme in (LIGHT, DARK):
        for side in ("", "n"):
            contrasts = [_contrast(theme["surface"], theme[f"h-{side}{step}"]) for step in range(1, HEAT_STEPS + 1)]
            assert contrasts == sorted(contrasts)


def _contrast(one: str, other: str) -> float:
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    """Source: WCAG 2.2, relative luminance."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
