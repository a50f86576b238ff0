"""No two cells of a workload stand in the same place of a grid: one would hide the other."""

import pytest
from tests.support.reported import wave

from sparktune.experiment.design import Arm
from sparktune.model.arrival import Arrivals
from sparktune.model.cell import Cell
from sparktune.model.mix import Household, Replay
from sparktune.report.charts.shapes import shape_of
from sparktune.report.charts.streams import solo_of, streams_of

_HOUSEHOLD = Household(
    opening_tokens=64, turns=3, turn_tokens=32, reply_tokens=16, long_tokens=512, long_reply_tokens=16
)
_CELLS = (
    Cell(prompt_tokens=512, output_tokens=128),
    Cell(prompt_tokens=512, output_tokens=128, concurrency=2),
    Cell(prompt_tokens=2048, output_tokens=128),
    Cell(prompt_tokens=512, output_tokens=64),
    Cell(prompt_tokens=512, output_tokens=128, depth=4096),
    Cell(prompt_tokens=512, output_tokens=128, concurrency=2, arrivals=Arrivals(stagger_s=2)),
    Cell(prompt_tokens=512, output_tokens=128, concurrency=2, arrivals=Arrivals(rate_per_s=1)),
    Cell.of_household(_HOUSEHOLD),
    Cell(prompt_tokens=0, output_tokens=128, replay=Replay(name="t", digest="0", count=9)),
)


def test_every_cell_has_a_place_of_its_own() -> None:
    assert len({shape_of(cell) for cell in _CELLS}) == len(_CELLS)


def test_plain_cells_of_one_output_share_a_grid() -> None:
    assert len({shape_of(cell).grid for cell in _CELLS[:3]}) == 1


@pytest.mark.parametrize("cell", _CELLS[5:], ids=lambda cell: cell.label)
def test_who_comes_later_is_not_measured_by_the_line_of_the_others(cell: Cell) -> None:
    """First come, first served in the time of one alone: that is said of streams that come at once, with one prompt."""
    assert solo_of([], cell) is None


def test_streams_begin_with_the_first_send() -> None:
    streams = streams_of(wave(_CELLS[1], Arm.A))

    assert streams[0].sent == 0
    assert all(stream.first is not None and stream.first > stream.sent for stream in streams)
