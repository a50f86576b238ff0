"""A server is recognised by what it says, and what it does not say stays unknown."""

import json

import pytest

from sparktune.engines import all_engines, by_name, detect
from sparktune.errors import UsageError
from sparktune.model.engine import Answer, Answers, EngineFacts

_VLLM_METRICS = """\
vllm:num_requests_running{engine="0"} 0
vllm:cache_config_info{block_size="16",enable_prefix_caching="True",engine="0",num_gpu_blocks="100"} 1
vllm:cache_config_info{block_size="16",enable_prefix_caching="True",engine="1",kv_cache_size_tokens="1700"} 1
"""
_MISSING = Answer(status=404, body=b'{"detail":"Not Found"}')


def _models(owner: str, **fields: object) -> Answer:
    entry = {"id": "m", "object": "model", "owned_by": owner, **fields}
    return Answer(status=200, body=json.dumps({"object": "list", "data": [entry]}).encode())


def _json(value: object) -> Answer:
    return Answer(status=200, body=json.dumps(value).encode())


_SERVERS: dict[str, tuple[Answers, EngineFacts]] = {
    "vllm with all routes": (
        {
            "/version": _json({"version": "0.33.0"}),
            "/v1/models": _models("vllm", max_model_len=4096),
            "/metrics": Answer(status=200, body=_VLLM_METRICS.encode()),
        },
        EngineFacts(
            name="vllm",
            version="0.33.0",
            models=("m",),
            max_model_len=4096,
            kv_pool_tokens=1600 + 1700,  # two engines; the first tells blocks only
            block_tokens=16,
            prefix_caching=True,
            has_metrics=True,
            how='owned_by "vllm" in /v1/models',
        ),
    ),
    "vllm behind a proxy that hides all but the models": (
        {"/version": _MISSING, "/v1/models": _models("vllm"), "/metrics": _MISSING},
        EngineFacts(name="vllm", models=("m",), how='owned_by "vllm" in /v1/models'),
    ),
    "vllm whose model list needs a key": (
        {
            "/version": _json({"version": "0.19.0"}),
            "/v1/models": Answer(status=401),
            "/metrics": Answer(status=200, body=b'vllm:cache_config_info{block_size="16",num_gpu_blocks="None"} 1\n'),
        },
        EngineFacts(name="vllm", version="0.19.0", block_tokens=16, has_metrics=True, how="vllm: metrics"),
    ),
    "sglang with all routes": (
        {
            "/v1/models": _models("sglang", max_model_len=8192),
            "/server_info": _json(
                {
                    "version": "0.5.23",
                    "mem_fraction_static": 0.6,
                    "max_total_num_tokens": 50_000,
                    "max_running_requests": 48,
                    "page_size": 1,
                    "disable_radix_cache": False,
                    "context_length": None,
                }
            ),
            "/metrics": Answer(status=200, body=b"# HELP sglang:x x\nsglang:num_running_reqs 0\n"),
        },
        EngineFacts(
            name="sglang",
            version="0.5.23",
            models=("m",),
            max_model_len=8192,
            kv_pool_tokens=50_000,
            block_tokens=1,
            slots=48,
            prefix_caching=True,
            has_metrics=True,
            how='owned_by "sglang" in /v1/models',
        ),
    ),
    "older sglang under another name": (
        {
            "/v1/models": _models("me"),
            "/server_info": _MISSING,
            "/get_server_info": _json(
                {"version": "0.4.1", "mem_fraction_static": 0.9, "context_length": 2048, "disable_radix_cache": True}
            ),
            "/metrics": _MISSING,
        },
        EngineFacts(
            name="sglang",
            version="0.4.1",
            models=("m",),
            max_model_len=2048,
            prefix_caching=False,
            how="resolved arguments in /server_info",
        ),
    ),
    "sglang that tells its models only": (
        {"/v1/models": _models("sglang")},
        EngineFacts(name="sglang", models=("m",), how='owned_by "sglang" in /v1/models'),
    ),
    "llama.cpp with all routes": (
        {
            "/props": _json(
                {"total_slots": 4, "build_info": "b11669-x", "default_generation_settings": {"n_ctx": 2048}}
            ),
            "/v1/models": _models("llamacpp", meta={"n_ctx_train": 8192}),
            "/metrics": Answer(status=200, body=b"llamacpp:requests_processing 0\n"),
        },
        EngineFacts(
            name="llamacpp",
            version="b11669-x",
            models=("m",),
            max_model_len=2048,
            block_tokens=1,
            slots=4,
            has_metrics=True,
            how='owned_by "llamacpp" in /v1/models',
        ),
    ),
    "llama.cpp without metrics and with an alias for an owner": (
        {
            "/props": _json({"total_slots": 1}),
            "/v1/models": _models("me"),
            "/metrics": Answer(status=501, body=b'{"error":{"message":"This server does not support metrics"}}'),
        },
        EngineFacts(name="llamacpp", models=("m",), block_tokens=1, slots=1, how="total_slots in /props"),
    ),
    "llama.cpp that is still loading": (
        {"/v1/models": Answer(status=503, headers={"server": "llama.cpp"})},
        EngineFacts(name="llamacpp", block_tokens=1, how="header Server: llama.cpp"),
    ),
    "anything else": (
        {"/v1/models": _models("openai", max_model_len=1024), "/version": _json({"version": "1"})},
        EngineFacts(name="generic", models=("m",), max_model_len=1024, how="no other engine recognised"),
    ),
    "vllm's development route is not sglang's": (
        {"/v1/models": _models("openai"), "/server_info": _json({"vllm_config": {}})},
        EngineFacts(name="generic", models=("m",), how="no other engine recognised"),
    ),
    "a server without a model list": (
        {},
        EngineFacts(name="generic", how="no other engine recognised, and no model list"),
    ),
}


@pytest.mark.parametrize(("answers", "expected"), _SERVERS.values(), ids=_SERVERS)
def test_a_server_is_recognised_by_its_answers(answers: Answers, expected: EngineFacts) -> None:
    engine, facts = detect(answers)

    assert facts == expected
    assert engine.name == expected.name


def test_the_generic_engine_comes_last() -> None:
    assert [engine.name for engine in all_engines()][-1] == "generic"


def test_each_engine_is_found_by_its_name() -> None:
    assert [by_name(engine.name) for engine in all_engines()] == list(all_engines())


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UsageError, match="'vlm'") as raised:
        by_name("vlm")

    assert "vllm" in raised.value.hint
