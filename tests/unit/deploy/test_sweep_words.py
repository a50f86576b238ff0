"""A value of a knob as the engine has it: a start with half of a map, or with a flag twice, measures something else."""

from typing import Any

import pytest

from sparktune.deploy.sweep_command import command_flags, command_with
from sparktune.deploy.sweep_words import arm_of, setting_keys, with_baselines
from sparktune.errors import UsageError
from sparktune.model.sweep import KnobRange

_SPEC = '{"method":"dspark","num_speculative_tokens":5}'


@pytest.mark.parametrize(
    ("values", "engine", "flags", "expected"),
    [
        ({"max_num_seqs": "8"}, "vllm", {}, {"flags": {"--max-num-seqs": "8"}}),
        ({"max_num_seqs": "8"}, "llamacpp", {"-np": "2"}, {"flags": {"-np": "8"}}),
        ({"tensor_parallel_size": "2"}, "vllm", {"-tp": "1"}, {"flags": {"-tp": "2"}}),
        (
            {"num_speculative_tokens": "3"},
            "vllm",
            {"--speculative-config": _SPEC},
            {"flags": {"--speculative-config": '{"method":"dspark","num_speculative_tokens":3}'}},
        ),
        (
            {"num_speculative_tokens": "3"},
            "vllm",
            {},
            {"flags": {"--speculative-config.num_speculative_tokens": "3"}},
        ),
        (
            {"num_speculative_tokens": "3", "draft_sample_method": "greedy"},
            "vllm",
            {"-sc": _SPEC},
            {"flags": {"-sc": '{"method":"dspark","num_speculative_tokens":3,"draft_sample_method":"greedy"}'}},
        ),
        (
            {"cudagraph_capture_sizes": "1,2,4"},
            "vllm",
            {"--cudagraph-capture-sizes": "1 2"},
            {"flags": {"--cudagraph-capture-sizes": None, "--compilation-config.cudagraph_capture_sizes": "[1,2,4]"}},
        ),
        (
            {"enable_prefix_caching": "off"},
            "vllm",
            {},
            {"flags": {"--enable-prefix-caching": None, "--no-enable-prefix-caching": True}},
        ),
        (
            {"async_scheduling": "engine decides"},
            "vllm",
            {"--async-scheduling": None},
            {"flags": {"--async-scheduling": None, "--no-async-scheduling": None}},
        ),
        ({"flash_attention": "auto"}, "llamacpp", {}, {"flags": {"--flash-attn": "auto"}}),
        ({"cpuset": "5-9,15-19"}, "vllm", {}, {"keys": {"cpuset": "5-9,15-19"}}),
        (
            {"flag:--stream-interval": "2", "env:VLLM_X": "1"},
            "vllm",
            {},
            {"flags": {"--stream-interval": "2"}, "env": {"VLLM_X": "1"}},
        ),
    ],
)
def test_arm(values: dict[str, str], engine: str, flags: dict[str, str | None], expected: dict[str, Any]) -> None:
    assert arm_of(values, engine, flags) == expected


def test_a_knob_of_another_engine_is_told() -> None:
    with pytest.raises(UsageError, match="cudagraph_mode: there is no known way to set it on llamacpp"):
        arm_of({"cudagraph_mode": "FULL"}, "llamacpp", {})


def test_what_runs_now_is_found_among_settings() -> None:
    ranges = tuple(
        KnobRange(knob=knob, values=("1",)) for knob in ("num_speculative_tokens", "async_scheduling", "poll")
    )
    settings = {"speculative_config.num_speculative_tokens": 5, "async_scheduling": False}
    assert [one.baseline for one in with_baselines(ranges, settings, "vllm")] == ["5", "off", ""]


def test_keys_are_those_of_the_normal_form() -> None:
    assert setting_keys("max_num_seqs", "llamacpp") == ("parallel",)
    assert setting_keys("env:VLLM_X", "vllm") == ("env.VLLM_X",)
    assert setting_keys("flag:-tp", "vllm") == ("tensor_parallel_size",)


@pytest.mark.parametrize(
    ("words", "flags", "expected"),
    [
        ("llama-server -m a.gguf -np 1", {"-np": "4"}, "llama-server -m a.gguf -np 4"),
        ("llama-server -m a.gguf", {"--parallel": "4"}, "llama-server -m a.gguf --parallel 4"),
        ("llama-server -np 1 -c 512 -np 2", {"-np": "4"}, "llama-server -c 512 -np 4"),
        ("llama-server --no-warmup -np 1", {"--no-warmup": None}, "llama-server -np 1"),
        ("llama-server --cont-batching -c 512", {"-c": None}, "llama-server --cont-batching"),
    ],
)
def test_a_command_has_each_flag_once(words: str, flags: dict[str, object], expected: str) -> None:
    assert command_with(words.split(), flags, "llamacpp") == tuple(expected.split())


def test_flags_of_a_command() -> None:
    words = "vllm serve org/model --max-num-seqs=4 --enable-prefix-caching --cudagraph-capture-sizes 1 2 --port 80"
    assert command_flags(words.split(), "vllm") == {
        "--max-num-seqs": "4",
        "--enable-prefix-caching": None,
        "--cudagraph-capture-sizes": "1 2",
        "--port": "80",
    }
