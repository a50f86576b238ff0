"""Words for numbers: unknown is said, and nothing foreign gets through."""

import math
from dataclasses import replace

import pytest
from tests.support.results import make_cell_result, make_metric, make_result

from sparktune.report.bench.forms import Form, render
from sparktune.report.bench.json import result_record
from sparktune.report.bench.words import finite, listed, one_line, setting_words, utc, value_words, why_unknown


@pytest.mark.parametrize(
    ("value", "unit", "words"),
    [
        (None, "s", "unknown"),
        (math.nan, "tok/s", "unknown"),
        (math.inf, "s", "unknown"),
        (0.0, "tok/s", "0.00"),
        (0.2049, "s", "204.9 ms"),
        (0.125, "share", "12.5 %"),
        (2703.4, "tok/s", "2,703"),
        (3.25, "tokens", "3.25"),
    ],
)
def test_values_have_the_words_of_their_unit(value: float | None, unit: str, words: str) -> None:
    assert value_words(value, unit) == words


@pytest.mark.parametrize(
    ("text", "line"),
    [("two\nlines\t here", "two lines here"), ("\x1b[2Jgone", "\\x1b[2Jgone"), ("\udce9", "\\udce9"), ("é 漢", "é 漢")],
)
def test_foreign_text_is_one_printable_line(text: str, line: str) -> None:
    assert one_line(text) == line


def test_long_lists_are_cut_and_counted() -> None:
    assert listed(list("abcd")) == "a, b, c, d"
    assert listed(list("abcdef")) == "a, b, c, d and 2 more"


def test_a_date_beyond_the_calendar_is_unknown() -> None:
    assert utc(1_795_974_616.9) == "2026-11-29 17:50:16Z"
    assert utc(1e300) == "unknown"


def test_a_number_that_no_file_can_hold_is_null_with_a_why() -> None:
    metric = replace(make_metric("jain_ttft", (1.0,)), maximum=math.inf)

    assert finite(metric.maximum) is None
    assert "not finite" in why_unknown(metric)
    assert "Infinity" not in render(make_result(cells=(make_cell_result(metrics=(metric,)),)), Form.JSON)


def test_a_metric_with_all_its_numbers_has_no_why() -> None:
    metric = replace(make_metric("ttft_s", (1.0,), values_per_trial=500), p90=1.0, p99=1.0)

    assert why_unknown(metric) == ""


def test_draft_positions_are_listed() -> None:
    """The curve over positions is what such a metric is read by, and it has no percentiles."""
    metric = replace(make_metric("acceptance_per_position", (0.6,)), by_position=(0.9, 0.6, 0.3))
    told = result_record(make_result(cells=(make_cell_result(metrics=(metric,)),)))["cells"][0]["metrics"]

    assert told["acceptance_per_position"]["by_position"] == [0.9, 0.6, 0.3]
    assert "draft positions" in told["acceptance_per_position"]["why"]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"--max-num-seqs": "16", "--enforce-eager": True, "--x": None}, "--max-num-seqs=16 --enforce-eager --x unset"),
        ({"env": {"A": "1"}}, "env=A=1"),
        (["serve", "1"], "serve 1"),
        ({}, "none"),
        (4, "4"),
    ],
    ids=["flags", "below a name", "a command", "nothing", "a number"],
)
def test_what_an_arm_sets_is_written_as_people_write_it(value: object, words: str) -> None:
    assert setting_words(value) == words
