"""Every picture of any data: well-formed, inside its frame, whatever the numbers are."""

import math
from collections.abc import Callable
from xml.etree import ElementTree as ET

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparktune.report.charts.acceptance import AcceptanceSeries, acceptance
from sparktune.report.charts.forest import Forest, ForestRow, forest
from sparktune.report.charts.heat import Heat, Tile, heat_map
from sparktune.report.charts.memory import MemoryLane, MemoryPicture, memory_picture
from sparktune.report.charts.numbers import Span
from sparktune.report.charts.paired import PairedBlock, Pairs, paired_blocks
from sparktune.report.charts.pareto import Pareto, ParetoPoint, pareto
from sparktune.report.charts.session import Lane, Reading, SessionVisit, session_timeline
from sparktune.report.charts.wave import Stream, WavePanel, wave_timeline
from sparktune.report.page.parts import NARROW, WIDE
from sparktune.report.svg.palette import DARK
from sparktune.report.svg.picture import Missing, Picture, as_file, as_part

_ABOVE_0 = st.floats(min_value=1e-300, max_value=1e300, allow_nan=False)
_ANY = st.floats(allow_nan=True, allow_infinity=True)
_WORDS = st.text(max_size=30) | st.sampled_from(['<script>"&', "]]>", "\x00\x1b[31m", "\ud800", "é" * 200])
_SPANS = st.builds(Span, ratio=_ABOVE_0, low=st.none() | st.floats(0, 1e300), high=st.none() | _ABOVE_0)
_SECONDS = st.floats(min_value=0, max_value=1e7)
_BLOCKS = st.builds(
    PairedBlock,
    label=_WORDS,
    first=st.sampled_from("AB"),
    a=_ABOVE_0 | st.just(0.0) | _ANY,
    b=_ABOVE_0 | st.just(0.0),
    a_trials=st.lists(_ABOVE_0 | st.just(0.0), max_size=4).map(tuple),
    b_trials=st.lists(_ABOVE_0, max_size=4).map(tuple),
)
_PAIRS = st.builds(
    Pairs,
    metric=_WORDS,
    unit=st.sampled_from(["s", "tok/s", "share", "1"]),
    more_is_better=st.booleans(),
    blocks=st.lists(_BLOCKS, max_size=12).map(tuple),
    change=st.none() | _SPANS,
    confidence=_WORDS,
)
_ROWS = st.builds(
    ForestRow,
    name=_WORDS,
    kind=st.sampled_from(["primary", "guard", "observed"]),
    span=st.none() | _SPANS,
    words=_WORDS,
    floor=st.none() | st.floats(0.01, 0.99),
    ceiling=st.none() | st.floats(1.01, 10),
)
_TILES = st.builds(
    Tile,
    row=_WORDS,
    column=_WORDS,
    number=_WORDS,
    under=_WORDS,
    shade=st.none() | st.floats(-5, 5),
    solid=st.booleans(),
    mark=_WORDS,
    invalid=st.booleans(),
    seen=_WORDS,
)


@st.composite
def _streams(draw: st.DrawFn) -> Stream:
    sent, wait, output, rest = (draw(_SECONDS) for _ in range(4))
    silent = draw(st.booleans())
    first, last = (None, None) if silent else (sent + wait, sent + wait + output)
    return Stream(sent=sent, first=first, last=last, ended=sent + wait + output + rest, failed=draw(st.booleans()))


_PANELS = st.builds(
    WavePanel,
    title=_WORDS,
    look=st.sampled_from("ab"),
    streams=st.lists(_streams(), max_size=20).map(tuple),
    solo=st.none() | st.floats(1e-6, 1e6),
)


@st.composite
def _visits(draw: st.DrawFn) -> SessionVisit:
    began, lasted, warm = draw(_SECONDS), draw(_SECONDS), draw(st.floats(0, 1))
    return SessionVisit(
        arm=draw(st.sampled_from("AB")),
        block=draw(st.integers(1, 99)),
        attempt=draw(st.integers(1, 3)),
        began=began,
        ended=began + lasted,
        measured_from=draw(st.none() | st.just(began + warm * lasted)),
        state=draw(_WORDS),
        counts=draw(st.booleans()),
    )


_READINGS = st.builds(Reading, at=_SECONDS, arm=st.sampled_from("AB"), value=st.floats(-1e12, 1e12))
_LANES = st.builds(Lane, name=_WORDS, unit=_WORDS, readings=st.lists(_READINGS, min_size=1, max_size=12).map(tuple))
_SERIES = st.builds(
    AcceptanceSeries,
    name=_WORDS,
    look=st.sampled_from("ab"),
    shares=st.lists(st.floats(0, 1.2) | st.just(math.nan), max_size=20).map(tuple),
)
_SIZES = st.integers(0, 2**47)
_MEMORY = st.builds(
    MemoryPicture,
    visit=_WORDS,
    lanes=st.lists(
        st.builds(
            MemoryLane,
            node=_WORDS,
            points=st.lists(st.tuples(_SECONDS, _SIZES), max_size=12).map(lambda points: tuple(sorted(points))),
            swing=_SIZES,
            stopped=_WORDS,
        ),
        max_size=3,
    ).map(tuple),
    floor=st.none() | _SIZES,
)
_POINTS = st.builds(
    ParetoPoint,
    name=_WORDS,
    x=st.floats(0, 1e12) | _ANY,
    y=st.floats(0, 1e12) | _ANY,
    kind=st.sampled_from(["baseline", "candidate", "winner"]),
    unfit=_WORDS,
)
_PARETO = st.builds(
    Pareto,
    x_name=_WORDS,
    x_unit=st.sampled_from(["s", "tok/s", "1"]),
    y_name=_WORDS,
    y_unit=st.sampled_from(["s", "tok/s", "1"]),
    points=st.lists(_POINTS, max_size=12).map(tuple),
    x_limit=st.none() | st.floats(0, 1e12),
    y_limit=st.none() | st.floats(0, 1e12),
    absent=st.lists(st.tuples(_WORDS, _WORDS), max_size=2).map(tuple),
)
_DRAWN: dict[str, st.SearchStrategy[Callable[[float], Picture | Missing]]] = {
    "paired": _PAIRS.map(lambda pairs: lambda width: paired_blocks(pairs, width)),
    "forest": st.lists(_ROWS, max_size=10).map(
        lambda rows: lambda width: forest(Forest(rows=tuple(rows)), width),
    ),
    "forest of configurations": st.lists(_ROWS, max_size=10).map(
        lambda rows: lambda width: forest(Forest(rows=tuple(rows), versus="the baseline"), width),
    ),
    "pareto": _PARETO.map(lambda plan: lambda width: pareto(plan, width)),
    "heat": st.tuples(_WORDS, st.lists(_TILES, max_size=12)).map(
        lambda found: lambda width: heat_map(Heat(name="cells", title=found[0], tiles=tuple(found[1])), width),
    ),
    "wave": st.lists(_PANELS, max_size=2).map(lambda panels: lambda width: wave_timeline(panels, "c", width)),
    "session": st.tuples(st.lists(_visits(), max_size=12), st.lists(_LANES, max_size=3)).map(
        lambda found: lambda width: session_timeline(*found, width),
    ),
    "memory": _MEMORY.map(lambda shown: lambda width: memory_picture(shown, width)),
    "acceptance": st.lists(_SERIES, max_size=2).map(lambda series: lambda width: acceptance(series, "c", width)),
}


@pytest.mark.parametrize("name", _DRAWN)
@pytest.mark.parametrize("width", [WIDE, NARROW])
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_any_data_makes_a_well_formed_picture(name: str, width: float, data: st.DataObject) -> None:
    """Nobody looks at a picture of extreme data before it is shared; and a fault in one would cost the whole page."""
    picture = data.draw(_DRAWN[name])(width)

    if isinstance(picture, Missing):
        assert picture.why
        return
    for text in (as_file(picture), as_file(picture, DARK), as_part(picture, "x")):
        root = ET.fromstring(text)  # noqa: S314 - our own text is what is tested
        assert root[0].tag.endswith("title")
        assert root[1].tag.endswith("desc")
        _stays_inside(root, float(root.attrib["width"]), float(root.attrib["height"]))


def _stays_inside(root: ET.Element, wide: float, high: float) -> None:
    for shape in root.iter():
        for name in ("x", "x1", "x2", "cx"):
            if name in shape.attrib:
                assert -8 <= float(shape.attrib[name]) <= wide + 8, (shape.tag, shape.attrib)
        for name in ("y", "y1", "y2", "cy"):
            if name in shape.attrib:
                assert -8 <= float(shape.attrib[name]) <= high + 8, (shape.tag, shape.attrib)
        for name in ("width", "height", "r"):
            if name in shape.attrib:
                assert float(shape.attrib[name]) >= 0
