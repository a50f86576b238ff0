"""What a sweep's file says, and how its faults are told: by the key that is wrong, with what to write instead."""

from pathlib import Path
from typing import Any

import pytest

from sparktune.errors import UsageError
from sparktune.io.sweep_file import SweepRequest, sweep_request
from sparktune.model.sweep import Constraint


def _fault(where: tuple[Any, ...], message: str, hint: str) -> UsageError:
    return UsageError(f"{'.'.join(map(str, where))}: {message}", hint=hint)


def _read(**values: Any) -> SweepRequest:  # noqa: ANN401 - as a file may say
    return sweep_request({"knobs": {"max_num_seqs": [4, 8]}, **values}, _fault)[0]


def test_knobs_are_lists_ranges_or_single_values() -> None:
    knobs = {"max_num_seqs": [4, 8], "num_speculative_tokens": "2..4", "flag:--x": True}
    found = _read(knobs=knobs).ranges

    assert [(one.knob, one.values) for one in found] == [
        ("max_num_seqs", ("4", "8")),
        ("num_speculative_tokens", ("2", "3", "4")),
        ("flag:--x", ("on",)),
    ]


@pytest.mark.parametrize(
    ("said", "values"),
    [
        (["0,1"], ("0,1",)),
        (["0,1", "2"], ("0,1", "2")),
        ([{"method": "ngram", "depth": 2}], ('{"method":"ngram","depth":2}',)),
        ([[1, 2], [4]], ("[1,2]", "[4]")),
        (['{"a": 1, "b": 2}', "it's"], ('{"a": 1, "b": 2}', "it's")),
    ],
)
def test_each_value_of_a_list_stays_whole(said: object, values: tuple[str, ...]) -> None:
    """Half of a value is a configuration that nobody asked for, and a start that nobody gets back."""
    assert _read(knobs={"flag:--x": said}).ranges[0].values == values


def test_flags_say_the_same_as_the_file() -> None:
    assert _read(knobs=["max_num_seqs=4,8"]) == _read()


def test_what_is_not_of_a_sweep_is_left_to_the_experiment() -> None:
    _, rest = sweep_request({"knobs": {"max_num_seqs": [4]}, "url": "http://x/v1", "budget": "1h"}, _fault)

    assert rest == {"url": "http://x/v1"}


@pytest.mark.parametrize(
    ("text", "constraint"),
    [
        ("ttft_s<=1.5", Constraint(metric="ttft_s", at="most", limit=1.5)),
        ("decode_min_tok_s >= 20", Constraint(metric="decode_min_tok_s", at="least", limit=20.0)),
        ("mem_available_bytes>=3GiB", Constraint(metric="mem_available_bytes", at="least", limit=3 * 2.0**30)),
        ("tool_score>=0.9", Constraint(metric="tool_score", at="least", limit=0.9)),
    ],
)
def test_constraints(text: str, constraint: Constraint) -> None:
    assert _read(constraints=[text]).constraints == (constraint,)


@pytest.mark.parametrize(("text", "seconds"), [("3h", 10800.0), ("90m", 5400.0), ("1.5h", 5400.0), (600, 600.0)])
def test_a_budget_is_a_time(text: object, seconds: float) -> None:
    assert _read(budget=text).budget_s == seconds


def test_the_file_of_parameters_of_vllm_stands_for_knobs(tmp_path: Path) -> None:
    path = tmp_path / "serve.json"
    path.write_text('[{"max_num_seqs": 32}, {"max_num_seqs": 64, "max_num_batched_tokens": 1024}]')
    request = sweep_request({"params": str(path)}, _fault)[0]
    space = request.space({})

    assert request.ranges == ()
    assert space is not None
    assert len(space.candidates) == 2


_WRONG = {
    "no knob": ({"knobs": {}}, "no knob is named"),
    "both": ({"params": "/dev/null"}, "both knobs and params"),
    "a semicolon": ({"knobs": {"env:X": ["a;b", "c"]}}, "a value with a semicolon"),
    "a value that is none": ({"knobs": {"env:X": None}}, "'env:X=' is not NAME=VALUES"),
    "unknown knob": ({"knobs": {"max_num_seq": 4}}, "has no knob 'max_num_seq'"),
    "arm b": ({"b": {}}, "b: 'b' is of an experiment with two arms"),
    "a for baseline": ({"a": {}}, "a: 'a' is of an experiment"),
    "no budget": ({"budget": "soon"}, "budget: a time above 0"),
    "budget of nothing": ({"budget": "0h"}, "budget: a time above 0"),
    "a budget that is true": ({"budget": True}, "budget: a time above 0"),
    "constraint": ({"constraints": ["ttft_s<1"]}, "is no constraint"),
    "metric": ({"constraints": ["ttf_s<=1"]}, "there is no metric 'ttf_s'"),
    "no unit": ({"constraints": ["mem_available_bytes>=6"]}, "is a limit of 6 bytes"),
    "unit": ({"constraints": ["ttft_s<=1GiB"]}, "'GiB' is no unit here"),
    "race": ({"race_blocks": -1}, "race_blocks: a whole number"),
    "confirmation without a verdict": ({"confirm_blocks": 2}, "2 blocks confirm nothing"),
    "pairs": ({"pairs": "no"}, "pairs: true or false"),
    "engine": ({"engine": 3}, "engine: a text"),
    "baseline": ({"baseline": [1]}, "baseline: a command, or settings by name"),
    "params without an end": ({"knobs": None, "params": "/dev/zero"}, "has more than 4,194,304 characters"),
    "params unread": ({"knobs": None, "params": "/nowhere/at/all"}, "cannot be read"),
}


@pytest.mark.parametrize("case", _WRONG)
def test_faults_name_their_key_and_have_a_hint(case: str) -> None:
    values, words = _WRONG[case]
    with pytest.raises(UsageError) as told:
        _read(**values)

    assert words in str(told.value)
    assert told.value.hint
