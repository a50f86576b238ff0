"""What ``sparktune drift`` prints on a narrow terminal: no line is cut where it ends, and none is too long."""

import pytest

from sparktune.model.drift import DriftCell, DriftRow, DriftStatus
from sparktune.model.observed import State
from sparktune.report.drift.text import drift_text


def _row(number: int) -> DriftRow:
    return DriftRow(
        key=f"env.KNOB{number}",
        node="spark1",
        aspect="settings",
        status=DriftStatus.NOT_LIVE,
        file=DriftCell(state=State.PRESENT, text="6", place="service.env"),
        live=DriftCell(state=State.PRESENT, text="5", place="pid 4711"),
        why="the file says 6, the process has 5",
        hint="start the service again",
        survives=False,
    )


@pytest.mark.parametrize("width", [30, 40, 60])
def test_what_is_told_of_a_row_fits_the_terminal(width: int) -> None:
    rows = [_row(number) for number in range(40)]

    details = drift_text(rows, width=width).split("\n\n", 2)[2]

    words = " ".join(details.split())
    assert "the live value is gone after the next start" in words
    assert "and 10 more rows" in words
    assert [line for line in details.splitlines() if len(line) > width] == []
