"""vLLM's own file of parameters is a space: what people have already written is taken as it is, or refused by name."""

import json

import pytest

from sparktune.deploy.sweep_params import space_of_params
from sparktune.errors import UsageError


def _space(data: object, **baselines: str) -> list[tuple[str, str]]:
    found = space_of_params(json.dumps(data), "params.json", baselines)
    return [(one.key, one.after) for one in found.candidates]


def test_configurations_may_move_several_knobs_and_go_upwards() -> None:
    data = [
        {"max_num_seqs": 64, "max_num_batched_tokens": 2048},
        {"max_num_seqs": 32, "max_num_batched_tokens": 1024},
        {"max_num_seqs": 64, "max_num_batched_tokens": 1024},
    ]
    small, middle, large = (
        "max_num_batched_tokens=1024 max_num_seqs=32",
        "max_num_batched_tokens=1024 max_num_seqs=64",
        "max_num_batched_tokens=2048 max_num_seqs=64",
    )
    assert _space(data) == [(large, middle), (small, ""), (middle, small)]


def test_what_runs_already_is_not_moved() -> None:
    data = [{"max_num_seqs": 32, "max_num_batched_tokens": 1024}, {"max_num_seqs": 32}]
    assert _space(data, max_num_seqs="32") == [("max_num_batched_tokens=1024", "")]


def test_names_as_vllm_takes_them() -> None:
    """Dashes, dots, booleans, lists and maps; an option that the catalogue does not know is its flag."""
    data = {
        "first": {"max-num-seqs": 4, "speculative_config.num_speculative_tokens": 3},
        "second": {"enable_prefix_caching": False, "stream_interval": 2},
        "third": {"_benchmark_name": "x", "cudagraph_capture_sizes": [1, 2], "speculative_config": {"method": "mtp"}},
    }
    assert [key for key, _ in _space(data)] == [
        "max_num_seqs=4 num_speculative_tokens=3",
        "enable_prefix_caching=off flag:--stream-interval=2",
        'cudagraph_capture_sizes=1,2 flag:--speculative-config={"method":"mtp"}',
    ]


def test_ranges_hold_every_value_once() -> None:
    found = space_of_params('[{"max_num_seqs": 4}, {"max_num_seqs": 8}, {"max-num-seqs": 4}]', "p.json")
    assert [(one.knob, one.values, one.raises_memory) for one in found.ranges] == [("max_num_seqs", ("4", "8"), True)]


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("{", "p.json: this is no JSON", "for instance"),
        ("[]", "a list of configurations is wanted", "for instance"),
        ('[{"max_num_seqs": 4, "max-num-seqs": 5}]', "configuration 1: max_num_seqs is there twice", "leave one"),
        ('[{"cudagraph_capture_sizes": [true]}]', "[True] is no value of an option", "a text"),
        ('[{"speculative_config": {"a": NaN}}]', "NaN is no number of JSON", "for instance"),
        ('[{"served_model_name": "a\\nb"}]', "not one line of printable characters", "for instance"),
        (json.dumps([{"max_num_seqs": 4}] * 101), "101 configurations are more than 100", "a start of the engine"),
        ("[1]", "a list of configurations is wanted", "for instance"),
        ('[{"max_num_sequences": 1}]', "configuration 1: vLLM", "max_num_seqs"),
        ('[{"max_num_seqs": 0}]', "'0' is below 1", "whole number"),
        ('[{"max_num_seqs": 1}, {"max_num_seqs": null}]', "configuration 2: max_num_seqs: None is no value", "a text"),
    ],
)
def test_what_is_no_such_file_is_refused(text: str, message: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        space_of_params(text, "p.json")
    assert message in str(caught.value)
    assert hint in caught.value.hint
