"""Every limit that can be watched beside another tool is an option, and no option sets what does not exist."""

from dataclasses import fields

from sparktune.cli._guard_flags import LimitFlags
from sparktune.model.guard import Limits

_OF_OUR_OWN_LOAD = {"error_share", "foreign_requests"}


def test_options_are_the_limits() -> None:
    limits = {one.name for one in fields(Limits)}

    assert {one.name for one in fields(LimitFlags)} == limits - _OF_OUR_OWN_LOAD


def test_only_what_was_written_counts() -> None:
    assert LimitFlags().given == {}
    assert LimitFlags(available_floor="").given == {"available_floor": ""}  # of a variable that is not set: a mistake
    assert LimitFlags(swap_pages="512", temperature="off").given == {"swap_pages": "512", "temperature": "off"}
