"""Per-lane results are compared lane by lane: by the server's counts, never by chunks."""

import json
from typing import Any

import pytest

from sparktune.bench.imports._shared import SourceFile
from sparktune.bench.imports.lanes import READER, fairness, read_lanes
from sparktune.errors import UsageError


def _lane(ttft_s: float, decode_s: float = 1.0, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - any field of a lane
    return {"ttft_s": ttft_s, "decode_s": decode_s, "completion_tokens": 101, "chunks": 20, **fields}


def _case(*lanes: dict[str, Any]) -> dict[str, Any]:
    return {"prompt": 64, "concurrency": len(lanes), "lanes": list(lanes), "wall_s": 9.0}


def _read(document: Any) -> Any:  # noqa: ANN401 - a JSON document
    return read_lanes(json.dumps(document).encode(), source="lanes.json")


def test_both_forms_of_a_file_are_read() -> None:
    (named,) = _read({"first": _case(_lane(1.0))})
    (listed,) = _read({"model": "m", "cases": [_case(_lane(1.0))]})

    assert (named.name, listed.name) == ("first", "c1_64")
    assert named.lanes == listed.lanes


def test_a_lane_is_rated_by_tokens_and_contrasted_with_chunks() -> None:
    ((lane,),) = [case.lanes for case in _read({"a": _case(_lane(1.0, decode_s=2.0))})]

    assert (lane.decode_tok_s, lane.chunks_per_s, lane.tokens_per_chunk) == (50.0, 10.0, 5.05)


@pytest.mark.parametrize("broken", [{"error": "timeout"}, {"completion_tokens": None, "chunks": None}])
def test_a_lane_that_failed_or_was_not_counted_has_no_rate(broken: dict[str, Any]) -> None:
    ((lane,),) = [case.lanes for case in _read({"a": _case(_lane(1.0, **broken))})]

    assert (lane.decode_tok_s, lane.chunks_per_s, lane.tokens_per_chunk) == (None, None, None)


def test_lanes_are_compared() -> None:
    (case,) = _read({"a": _case(_lane(3.0, decode_s=0.5), _lane(1.0), _lane(2.0))})

    found = fairness(case)

    assert found is not None
    assert (found.ttft_spread_s, found.ttft_gap_s, found.ttft_max_over_min, found.ttft_max_over_median) == (
        2,
        1,
        3,
        1.5,
    )
    assert (found.decode_tok_s, found.decode_median_tok_s, found.decode_max_over_min) == ((200, 100, 100), 100, 2)
    assert found.jain_ttft == pytest.approx(36 / 42)
    assert found.serialized is True


def test_the_gap_is_the_largest_and_ratios_are_ratios() -> None:
    (case,) = _read({"a": _case(_lane(8.0), _lane(2.0), _lane(4.0))})

    found = fairness(case)

    assert found is not None
    assert (found.ttft_gap_s, found.ttft_max_over_min) == (4.0, 4.0)


@pytest.mark.parametrize(
    ("waits", "serialized"),
    [((1, 2, 3), True), ((3, 1, 2), True), ((1, 1, 1), False), ((1, 2, 4), False), ((5, 6, 7), False), ((1, 2), None)],
    ids=["even", "in any order", "all at once", "uneven", "even, but late", "two have one distance"],
)
def test_even_distances_say_that_prefills_follow_one_another(waits: tuple[int, ...], serialized: object) -> None:
    (case,) = _read({"a": _case(*[_lane(wait) for wait in waits])})

    found = fairness(case)

    assert found is not None
    assert found.serialized is serialized


@pytest.mark.parametrize(
    "lanes",
    [[_lane(1.0)], [_lane(1.0), _lane(2.0, error="timeout")], [_lane(1.0), {"idx": 1}]],
    ids=["alone", "one failed", "one without numbers"],
)
def test_a_wave_that_lost_a_lane_is_not_compared(lanes: list[dict[str, Any]]) -> None:
    (case,) = _read({"a": _case(*lanes)})

    assert fairness(case) is None


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"prompt,conc", "lanes.json holds no results per lane: JSON is malformed"),
        (b'{"a": 1}', "Expected `object`, got `int`"),
        (b'{"cases": [{"prompt": 1}]}', "missing required field"),
        (b"[]", "Expected `object`, got `array`"),
    ],
)
def test_another_file_is_refused_in_one_sentence(data: bytes, message: str) -> None:
    with pytest.raises(UsageError) as error:
        read_lanes(data, source="lanes.json")

    assert message in str(error.value)
    assert "ttft_s" in error.value.hint


def test_waves_of_one_shape_are_trials_of_their_own() -> None:
    """Three waves that all call themselves the first would be one trial, and prove nothing."""
    document = {"cases": [_case(_lane(1.0)), _case(_lane(1.1)), _case(_lane(1.0), _lane(1.2)), _case(_lane(1.2))]}

    table = READER.read(SourceFile(name="lanes.json", data=json.dumps(document).encode()))

    assert [(row.concurrency, row.trial) for row in table.rows] == [(1, 1), (1, 2), (2, 1), (1, 3)]
