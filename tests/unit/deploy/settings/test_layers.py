"""What an engine echoes, and what is live: read from logs, answers, metrics and processes."""

import json
import shlex
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.log_texts import echoed_settings
from tests.support.shared import shared

from sparktune.deploy.settings.earned import earned_settings
from sparktune.deploy.settings.grammars import all_grammars
from sparktune.deploy.settings.live import answered_settings, metric_settings, process_settings
from sparktune.deploy.settings.normal import normal_form
from sparktune.engines._openai import parse_exposition
from sparktune.model.document import Word
from sparktune.model.setting import Layer, Setting, Value

_GRAMMARS = {grammar.engine: grammar for grammar in all_grammars()}


def _values(found: tuple[Setting, ...]) -> dict[str, Value]:
    return {setting.key: setting.value for setting in found}


def _http_body(name: str) -> str:
    return shared(f"samples/llamacpp/{name}").read_text().partition("\n\n")[2]


def test_three_layers_of_case_21() -> None:
    """Asked for, echoed, and resolved away: the same key in all three, and each says where it was read."""
    folder = shared("cases/21-flag-accepted-then-resolved-away")
    words = [Word(text=word, line=1) for word in shlex.split((folder / "serve.txt").read_text())]
    key = "compilation_config.pass_config.fuse_gemm_comms"

    requested = normal_form(words, _GRAMMARS["vllm"]).values
    echo = echoed_settings((folder / "boot.log").read_text(), "boot.log")

    assert requested[key] is True
    assert _values(echo.asked)[key] is True
    assert _values(echo.resolved)[key] is False
    assert {one.origin.layer for one in echo.asked} == {Layer.ECHOED}
    assert {(one.origin.layer, one.origin.place, one.origin.line) for one in echo.resolved} == {
        (Layer.LIVE, "boot.log", 3)
    }


def test_a_flag_that_is_gone_is_not_off() -> None:
    folder = shared("cases/21-flag-accepted-then-resolved-away")
    lines = (folder / "compose_without_async.txt").read_text().splitlines()
    words = [Word(text=word, line=2) for word in lines[1].split()]

    assert "async_scheduling" not in normal_form(words, _GRAMMARS["vllm"]).values
    resolved = echoed_settings((folder / "boot_async.log").read_text(), "boot_async.log").resolved
    assert _values(resolved) == {"async_scheduling": True}


def test_a_real_boot_log_of_two_nodes() -> None:
    echo = echoed_settings(shared("cases/19-real-vllm-boot-log-2node/boot.log").read_text(), "boot.log", node="spark1")

    asked, resolved = _values(echo.asked), _values(echo.resolved)
    assert echo.version == "0.21.1rc1.dev339+g1967a5627bc3"
    assert asked["max_cudagraph_capture_size"] == 12
    assert resolved["max_cudagraph_capture_size"] == 8
    assert resolved["cudagraph_capture_sizes"] == (1, 2, 4, 8)
    assert asked["reasoning_config.reasoning_parser"] == "deepseek_v4"
    assert "redacted" not in repr(echo.asked)
    assert {one.origin.node for one in (*echo.asked, *echo.resolved)} == {"spark1"}


@pytest.mark.parametrize(
    ("log", "engine", "some"),
    [
        ("samples/engines/llamacpp-lines.log", "llamacpp", {"ctx_size": 262144, "cache_type_k": "f16", "parallel": 4}),
        ("samples/llamacpp/server_log.txt", "llamacpp", {"threads": 2, "port": 8099, "n_ctx_slot": 2048}),
        ("samples/engines/sglang-lines.log", "sglang", {"context_length": 131072, "max_running_requests": 8}),
        ("samples/engines/vllm-boot-0.1x-0.2x.log", "vllm", {"max_cudagraph_capture_size": 32}),
    ],
)
def test_logs_of_every_engine(log: str, engine: str, some: dict[str, Value]) -> None:
    echo = echoed_settings(shared(log).read_text(), log)

    assert echo.engine == engine
    assert _values(echo.resolved).items() >= some.items()


def test_the_last_start_of_a_log_counts() -> None:
    text = (
        "non-default args: {'max_num_seqs': 4, 'api_key': ['sk-verysecretindeed']}\n"
        "Asynchronous scheduling is enabled.\n"
        "(APIServer pid=1) INFO 01-01 00:00:00 [utils.py:1] non-default args: {'max_num_seqs': 8}\n"
    )

    echo = echoed_settings(text, "log")

    assert (_values(echo.asked), echo.resolved) == ({"max_num_seqs": 8}, ())
    assert "verysecret" not in repr(echoed_settings(text.partition("\n")[0], "log"))


def test_sglang_echoes_and_answers_both_sides() -> None:
    line = "[x] server_args=ServerArgs(model_path='m', tp_size=2, mem_fraction_static=0.7, device=None, host='0.0.0.0')"
    answer = {
        "tp_size": 2,
        "mem_fraction_static": 0.71,
        "launch_command": "sglang serve --model m --tp 2",
        "version": "x",
    }

    assert _values(echoed_settings(line, "log").asked)["mem_fraction_static"] == 0.7
    resolved = answered_settings("/server_info", json.dumps(answer), "http://a")
    assert _values(resolved) == {"tp_size": 2, "mem_fraction_static": 0.71}


def test_answers_of_a_real_llama_server() -> None:
    props = _values(answered_settings("/props", _http_body("props.http"), "http://a"))
    models = _values(answered_settings("/v1/models", _http_body("models.http"), "http://a"))

    assert props["parallel"] == 4
    assert props["n_ctx_slot"] == models["n_ctx_slot"] == 2048
    assert props["alias"] == models["alias"] == "smollm2-135m"


def test_what_vllm_s_metrics_tell() -> None:
    samples = parse_exposition(shared("samples/engines/vllm-metrics-full-sample.txt").read_bytes())

    found = metric_settings(samples, "http://a/metrics", node="spark1")

    assert _values(found) == {
        "block_size": 256,
        "kv_cache_dtype": "nvfp4_ds_mla",
        "enable_prefix_caching": True,
        "gpu_memory_utilization": 0.835,
    }
    assert found[0].origin.place == "http://a/metrics vllm:cache_config_info"


def test_vllm_in_developer_mode() -> None:
    answer = {
        "vllm_config": {
            "model_config": {"max_model_len": 4096, "dtype": "bfloat16"},
            "cache_config": {"cache_dtype": "fp8", "block_size": None},
            "speculative_config": {"method": "mtp", "num_speculative_tokens": 3},
        },
        "vllm_env": {"VLLM_USE_V1": True, "VLLM_X_TOKEN": "abcdef"},
    }

    found = _values(answered_settings("/server_info?config_format=json", json.dumps(answer), "http://a"))

    assert found == {
        "max_model_len": 4096,
        "dtype": "bfloat16",
        "kv_cache_dtype": "fp8",
        "speculative_config.method": "mtp",
        "speculative_config.num_speculative_tokens": 3,
        "env.VLLM_USE_V1": "True",
        "env.VLLM_X_TOKEN": "***",
    }


def test_a_process_and_its_twins_in_the_environment() -> None:
    argv = ["/usr/bin/llama-server", "-c", "8192"]
    environ = {
        "LLAMA_ARG_CTX_SIZE": "4096",
        "LLAMA_ARG_NO_MMAP": "",
        "LLAMA_ARG_FLASH_ATTN": "1",
        "HF_TOKEN": "hf_x",
        "A": "",
    }

    found = process_settings(argv, environ, _GRAMMARS["llamacpp"], pid=7, node="spark1")

    assert found.values == {"ctx_size": 8192, "mmap": False, "flash_attn": "on", "hf_token": "***", "env.A": ""}
    assert [(one.setting.value, one.by.value) for one in found.dropped] == [(4096, 8192)]
    assert {one.origin.place for one in found.settings} == {"pid 7 of spark1"}


def test_what_was_earned_has_the_same_names() -> None:
    entries: list[dict[str, Any]] = [
        {
            "knob": "seqs",
            "value": {"flags": {"--max-num-seqs": 8, "--async-scheduling": True}, "keys": {"cpuset": "5-9"}},
        },
        {"knob": "prefills", "value": {"env": {"DSPARK_MAX_INFLIGHT_PREFILLS": 2}, "flags": {"--max_num_seqs": 6}}},
        {"knob": "odd", "value": "x"},
    ]

    found = earned_settings(entries, _GRAMMARS["vllm"], "earned.yaml")

    assert _values(found) == {
        "max_num_seqs": 6,
        "async_scheduling": True,
        "key.cpuset": "5-9",
        "env.DSPARK_MAX_INFLIGHT_PREFILLS": "2",
    }
    assert {one.origin.layer for one in found} == {Layer.EARNED}


_JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
_KEYS = st.sampled_from(
    ["data", "vllm_config", "vllm_env", "model_path", "default_generation_settings", "tp_size", "meta"]
)


@settings(max_examples=150, deadline=None)
@given(path=st.sampled_from(["/server_info", "/props", "/v1/models", "/x"]), answer=st.dictionaries(_KEYS, _JSON))
def test_any_answer_is_read_and_nothing_is_raised(path: str, answer: dict[str, Any]) -> None:
    found = answered_settings(path, json.dumps(answer), "http://a")

    assert {one.origin.layer for one in found} <= {Layer.LIVE}
    assert len({one.key for one in found}) == len(found)
    assert path != "/x" or found == ()


_SIGNS = ("'a': ", "{", "}", "[", "]", "(", ")", "...", "X(a=", "<E.", "'", "1", ",", " ", "=", "\n")
_STARTS = (
    "non-default args: {",
    "Initializing a V1 LLM engine with config: ",
    "server_args=ServerArgs(",
    "max_total_num_tokens=1, ",
)
_PIECES = st.sampled_from((*_STARTS, *_SIGNS))


@settings(max_examples=300, deadline=None)
@given(st.lists(_PIECES, max_size=25).map("".join))
def test_any_log_is_read_and_nothing_is_raised(text: str) -> None:
    echo = echoed_settings(text, "log")

    assert {one.origin.layer for one in echo.asked} <= {Layer.ECHOED}
    assert {one.origin.layer for one in echo.resolved} <= {Layer.LIVE}
    assert all(1 <= one.origin.line <= text.count("\n") + 1 for one in (*echo.asked, *echo.resolved))


@pytest.mark.parametrize("depth", [40, 200, 5000])
def test_data_that_is_nested_without_end_is_no_setting(depth: int) -> None:
    deep = '{"a":' * depth + "1" + "}" * depth

    answered_settings("/server_info", f'{{"json_model_override_args": {deep}}}', "http://a")
    echoed_settings(f"non-default args: {deep}", "log")
    words = [Word(text=word, line=1) for word in ("vllm", "serve", "M", "--hf-overrides", deep)]
    assert normal_form(words, _GRAMMARS["vllm"]).values["model"] == "M"
