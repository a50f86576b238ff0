"""The catalogue of knobs as it is printed: what a change costs, where it is set, and that effects are others'."""

import json

import pytest

from sparktune.deploy.knob_names import knob_named
from sparktune.deploy.knobs import all_knobs
from sparktune.report.knobs import knob_json, knob_text, knobs_json, knobs_text

_KNOBS = all_knobs()


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_longer_than_the_terminal(width: int) -> None:
    """An address is never cut, so that it can be copied; everything else keeps to the width."""
    for text in (knobs_text(_KNOBS, width), *(knob_text(knob, width) for knob in _KNOBS)):
        for line in text.splitlines():
            assert len(line) <= width or len(line.split()) == 1 or "http" in line or "--" in line, line


def test_a_list_says_what_each_is_and_where_it_is_set() -> None:
    text = knobs_text(_KNOBS, 120)
    assert text.splitlines()[0].startswith("knob ")
    assert "--max-num-batched-tokens" in text
    assert "and 3 more" in text
    assert text.rstrip().endswith("all of one: sparktune knobs show NAME")
    assert knobs_text((), 80) == "no such knob\n"


def test_one_says_all_that_is_known() -> None:
    knob = knob_named(_KNOBS, "kv-cache-dtype")
    assert knob is not None
    text = knob_text(knob, 80)
    for part in ("a restart of the engine", "it may change what the model says", "none of it is ours", "source: "):
        assert part in text
    silent = knob_named(_KNOBS, "block_size")
    assert silent is not None
    assert "nothing with numbers is known" in knob_text(silent, 80)


def test_an_effect_without_numbers_is_told_as_one() -> None:
    knob = knob_named(_KNOBS, "async_scheduling")
    other = knob_named(_KNOBS, "moe_backend")
    assert knob is not None
    assert other is not None
    assert "reported without numbers" not in knob_text(knob, 100)
    assert "reported without numbers" in knob_text(other, 100)


def test_json_has_everything_and_a_reason_for_what_is_not_known() -> None:
    whole = json.loads(knobs_json(_KNOBS))
    assert whole["schema"] == 1
    assert [one["id"] for one in whole["knobs"]] == [knob.id for knob in _KNOBS]
    one = json.loads(knob_json(_KNOBS[0]))["knob"]
    assert one["least"] is None
    assert one["least_why"]
