"""Pictures at the edges of what there is: one block, no effect, 128 streams, numbers that have no room."""

import math
import re

import pytest

from sparktune.report.charts.acceptance import AcceptanceSeries, acceptance
from sparktune.report.charts.forest import Forest, ForestRow, forest
from sparktune.report.charts.heat import Heat, Tile, heat_map
from sparktune.report.charts.numbers import Span
from sparktune.report.charts.paired import PairedBlock, Pairs, paired_blocks
from sparktune.report.charts.wave import Stream, WavePanel, wave_timeline
from sparktune.report.page.parts import NARROW, WIDE
from sparktune.report.svg.picture import Picture


def test_200_cells_are_drawn() -> None:
    """As many as a sweep has: each is there, and none is drawn twice."""
    tiles = tuple(
        Tile(row=str(row), column=str(column), number=f"+{row}", solid=False)
        for row in range(20)
        for column in range(10)
    )

    picture = heat_map(Heat(name="cells", title="t", tiles=tiles), WIDE)

    assert isinstance(picture, Picture)
    assert picture.body.count("<g>") == 200


@pytest.mark.parametrize("under", ["+10…+15 %", "+1,000,000.0…+2,000,000.0 %"])
def test_a_number_is_whole_or_not_there(under: str) -> None:
    """Half a number is another number."""
    tiles = tuple(Tile(row="1", column=str(column), number="+9 %", under=under) for column in range(12))

    picture = heat_map(Heat(name="cells", title="t", tiles=tiles), WIDE)

    assert isinstance(picture, Picture)
    drawn = re.sub(r"<title>.*?</title>", "", picture.body)
    assert "…" not in drawn.replace(under, "")


def test_128_streams_are_drawn() -> None:
    """Their rows get lower, their numbers make way; each is there."""
    streams = tuple(Stream(sent=0.0, first=1.0 + place, last=200.0, ended=200.0) for place in range(128))

    picture = wave_timeline((WavePanel(title="arm A", look="a", streams=streams, solo=1.0),), "c128", NARROW)

    assert isinstance(picture, Picture)
    assert picture.body.count('class="f-a"') == 128
    assert picture.height < 800


def test_a_single_block_is_drawn_without_an_interval() -> None:
    pairs = Pairs(
        metric="ttft_s",
        unit="s",
        more_is_better=False,
        blocks=(PairedBlock(label="1", first="B", a=0.4, b=0.3),),
        change=None,
    )

    picture = paired_blocks(pairs, NARROW)

    assert isinstance(picture, Picture)
    assert "no interval" in picture.body
    assert "B was better in 1" in picture.description


def test_an_interval_beyond_the_axis_has_an_arrow() -> None:
    """Two blocks have an interval of a factor of hundreds: drawn whole, all else would be a line."""
    blocks = tuple(PairedBlock(label=str(place), first="A", a=10.0, b=11.0) for place in (1, 2))
    change = Span(ratio=1.1, low=0.01, high=121.0)
    pairs = Pairs(metric="m", unit="1", more_is_better=True, blocks=blocks, change=change)

    picture = paired_blocks(pairs, WIDE)

    assert isinstance(picture, Picture)
    assert picture.body.count("Z") == 2
    assert "interval ÷100.0 to ×121.0" in picture.body  # noqa: RUF001 - the sign of multiplication


def test_many_blocks_on_a_phone_have_no_room_for_their_numbers() -> None:
    """Numbers that run into each other are other numbers; the order is in the description."""
    blocks = tuple(PairedBlock(label=str(place), first="A", a=1.0, b=1.1) for place in range(100, 140))
    pairs = Pairs(metric="m", unit="1", more_is_better=True, blocks=blocks, change=Span(ratio=1.1))

    picture = paired_blocks(pairs, NARROW)

    assert isinstance(picture, Picture)
    assert ">120<" not in picture.body
    assert picture.description.startswith("40 blocks in the order AB")


def test_a_block_without_a_value_is_counted_and_not_drawn() -> None:
    blocks = (
        PairedBlock(label="1", first="A", a=1.0, b=1.2, a_trials=(0.1, 1.0, 9.0)),
        PairedBlock(label="2", first="B", a=0.0, b=1.0),
    )
    pairs = Pairs(metric="m", unit="1", more_is_better=True, blocks=blocks, change=Span(ratio=0.0, low=0.0, high=0.0))

    picture = paired_blocks(pairs, WIDE)

    assert isinstance(picture, Picture)
    assert "1 block without a value above 0 not drawn" in picture.description
    assert picture.body.count("a trial beyond the axis") == 2


def test_an_interval_of_nothing_to_everything_is_drawn() -> None:
    """A bound that underflows to 0, and one that overflows, are still bounds."""
    blocks = (PairedBlock(label="1", first="A", a=1.0, b=1.2),)
    change = Span(ratio=1.2, low=0.0, high=math.inf)

    picture = paired_blocks(Pairs(metric="m", unit="1", more_is_better=True, blocks=blocks, change=change), WIDE)

    assert isinstance(picture, Picture)
    assert "interval ÷inf to ×inf" in picture.body  # noqa: RUF001 - the sign of multiplication


def test_a_row_without_an_effect_says_so_and_one_without_ends_has_no_bar() -> None:
    rows = (
        ForestRow(name="m", kind="primary", span=Span(ratio=1.1), words="+10 %"),
        ForestRow(name="g", kind="guard", span=None, words="not measured", floor=0.9),
    )

    picture = forest(Forest(rows=rows), WIDE)

    assert isinstance(picture, Picture)
    assert ">unknown<" in picture.body


def test_a_position_that_is_unknown_has_no_bar() -> None:
    """It is not a bar of no height: that would say that no token was ever accepted."""
    series = (AcceptanceSeries(name="arm A", look="a", shares=(0.8, math.nan, 0.4)),)

    picture = acceptance(series, "c1", WIDE)

    assert isinstance(picture, Picture)
    assert picture.body.count("position") == 3
    assert "unknown" in picture.description


@pytest.mark.parametrize("width", [NARROW, WIDE])
def test_a_number_is_never_cut(width: float) -> None:
    """What is left of a number that is cut is another number."""
    words = "unproven: -37.5 % [-46.1 %, +127.6 %]"
    rows = (ForestRow(name="decode_min_tok_s", kind="guard", span=Span(ratio=0.6, low=0.5, high=2.3), words=words),)
    drawn = forest(Forest(rows=rows), width)

    assert isinstance(drawn, Picture)
    shown = re.sub(r"<title>.*?</title>", "", str(drawn.body))
    assert "-37.5 % [-46.1 %, +127.6 %]" in shown
