"""When something was logged: stamps without a year, a zone or a time are read with what other lines tell."""

import pytest
from tests.support.log_texts import scan_text
from tests.support.scanned import at, read

pytestmark = pytest.mark.usefixtures("own_messages")


def test_a_line_without_a_time_has_that_of_the_line_before() -> None:
    log = read("INFO 11-14 14:26:16 [a.py:1] hello\nplain\nBroken pipe\n")
    assert log.events[0].first.time_s == at("2026-11-14T14:26:16")


def test_no_time_where_none_is_told() -> None:
    assert read("Broken pipe\nINFO 11-14 14:26:16 [a.py:1] hello\n").events[0].first.time_s is None
    assert scan_text("INFO 11-14 14:26:16 [a.py:1] Broken pipe\n", "x").events[0].first.time_s is None


def test_the_year_is_that_of_other_lines() -> None:
    log = scan_text("2025-11-14T14:26:10Z started\nINFO 11-14 14:26:16 [a.py:1] Broken pipe\nERROR:  boom\n", "x")
    assert log.events[0].first.time_s == at("2025-11-14T14:26:16")


def test_around_new_year_each_line_has_its_own() -> None:
    log = scan_text(
        "INFO 12-31 23:59:59 [a.py:1] Broken pipe\nINFO 01-01 00:00:01 [a.py:1] Free memory low\n",
        "x",
        reference_s=at("2027-01-01T00:00:10"),
    )
    assert [event.first.time_s for event in log.events] == [at("2026-12-31T23:59:59"), at("2027-01-01T00:00:01")]


def test_the_zone_of_the_engine_is_learnt_from_lines_with_both_stamps() -> None:
    log = read(
        "2026-11-14T13:26:16.5Z INFO 11-14 14:26:16 [a.py:1] Broken pipe\n"
        "INFO 11-14 14:26:20 [a.py:1] Free memory low\n"
    )
    assert [event.first.time_s for event in log.events] == [at("2026-11-14T13:26:16.5"), at("2026-11-14T13:26:20")]
