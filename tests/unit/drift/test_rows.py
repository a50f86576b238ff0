"""The next step of a row: it must never lose what was earned."""

from sparktune.drift.rows import cell, closed_cell, row_of
from sparktune.drift.status import Layers
from sparktune.model.drift import DriftStatus


def test_where_the_file_slipped_back_under_a_process_that_is_right_no_restart_is_advised() -> None:
    """A restart from that file would start the wrong value: restore comes first."""
    layers = Layers(earned=cell("2"), file=cell("1"), live=cell("2"))
    row = row_of("env.DEPTH", "spark1", "settings", layers)
    assert row.status is DriftStatus.NOT_LIVE
    assert row.hint == "sparktune drift restore DEPTH"


def test_a_file_that_is_right_and_not_applied_is_started() -> None:
    row = row_of("env.DEPTH", "spark1", "settings", Layers(earned=cell("2"), file=cell("2"), live=cell("1")))
    assert row.status is DriftStatus.NOT_LIVE
    assert "start the service anew" in row.hint


def test_a_service_that_does_not_run_is_to_be_started() -> None:
    layers = Layers(file=cell("2"), live=closed_cell("nothing listens at port 8000 of this node"))
    row = row_of("env.DEPTH", "spark1", "settings", layers)
    assert row.hint == "start it if it does not run; else run this again on spark1, or as a user who may read it"
