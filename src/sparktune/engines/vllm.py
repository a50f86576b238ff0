"""vLLM: how it is recognised, asked, counted and read.

Sources: vLLM 0.33 (``entrypoints/openai`` protocol and serving files, ``v1/metrics/loggers.py``); older metric names
from 0.8 to 0.10. What differs by version: the reasoning key (``reasoning_content`` before 0.16, ``reasoning`` after)
and the ``gpu_`` prefix of cache metrics.
"""

__all__ = ["ENGINE"]

from collections.abc import Iterable, Mapping

from sparktune.engines import _openai as openai
from sparktune.model.counters import Counters, FirstTokens, GaugeSample
from sparktune.model.engine import Answers, Engine, EngineFacts, JsonValue, MetricSample, TokenizeApi
from sparktune.model.options import SendOptions
from sparktune.units import Nanoseconds, Tokens


def _detect(answers: Answers) -> EngineFacts | None:
    models = openai.read_models(answers)
    has_metrics = openai.has_metrics(answers, "/metrics", "vllm:")
    owned = any(entry.get("owned_by") == "vllm" for entry in models or ())
    if not owned and not has_metrics:
        return None
    version = (openai.read_object(answers, "/version") or {}).get("version")
    samples = openai.parse_exposition(answers["/metrics"].body) if has_metrics else ()
    configs = openai.labels_of(samples, "vllm:cache_config_info")
    return EngineFacts(
        name="vllm",
        version=version if isinstance(version, str) else None,
        models=openai.model_names(models),
        max_model_len=openai.whole(models[0], "max_model_len") if models else None,
        kv_pool_tokens=_pool(configs),
        block_tokens=openai.whole(configs[0], "block_size") if configs else None,
        prefix_caching=_flag(configs[0].get("enable_prefix_caching")) if configs else None,
        has_metrics=has_metrics,
        how='owned_by "vllm" in /v1/models' if owned else "vllm: metrics",
    )


def _pool(configs: tuple[Mapping[str, str], ...]) -> Tokens | None:
    """Sum the KV pools of all data-parallel engines; older versions tell blocks only."""
    pools: list[Tokens] = []
    for config in configs:
        size, blocks = openai.whole(config, "kv_cache_size_tokens"), openai.whole(config, "num_gpu_blocks")
        block = openai.whole(config, "block_size")
        if size is None and blocks is not None and block is not None:
            size = blocks * block
        if size is None:
            return None
        pools.append(size)
    return sum(pools) if pools else None


def _flag(label: str | None) -> bool | None:
    return {"True": True, "False": False}.get(label or "")


def _extras(options: SendOptions, cold: bool) -> dict[str, JsonValue]:  # noqa: FBT001 # Engine.body_extras' signature
    """Build the request fields.

    ``min_tokens`` goes with ``ignore_eos`` because stop tokens that a chat format adds (gpt-oss) end a request even
    when EOS is ignored. Counts per chunk come from continuous usage, not from ``return_token_ids``: that also makes
    chunks visible whose text a parser swallowed, but puts the ids of the whole prompt into the first event (about
    700 KB at 128 K tokens), which delays the very first token that is measured and is not what clients of this server
    ask for. With continuous usage the tokens of swallowed chunks are counted in the next chunk that is sent.
    """
    extras: dict[str, JsonValue] = {"stream_options": openai.stream_options(continuous=True)}
    if options.fixed_length:
        extras |= {"ignore_eos": True, "min_tokens": 0}
    if cold:
        extras["cache_salt"] = ""
    return extras | openai.thinking_kwargs(options)


def _counters(samples: Iterable[MetricSample], headers: Mapping[str, str]) -> Counters:
    del headers  # the identity is in the exposition
    listed = tuple(samples)
    return Counters(
        requests_finished=openai.total(listed, "vllm:request_success_total"),
        prompt_tokens=openai.total(listed, "vllm:prompt_tokens_total"),
        cached_prompt_tokens=openai.total(listed, "vllm:prompt_tokens_cached_total"),
        prefix_queries=openai.total(listed, "vllm:prefix_cache_queries_total", "vllm:gpu_prefix_cache_queries_total"),
        prefix_hits=openai.total(listed, "vllm:prefix_cache_hits_total", "vllm:gpu_prefix_cache_hits_total"),
        generation_tokens=openai.total(listed, "vllm:generation_tokens_total"),
        preemptions=openai.total(listed, "vllm:num_preemptions_total"),
        spec_drafts=openai.total(listed, "vllm:spec_decode_num_drafts_total"),
        spec_draft_tokens=openai.total(listed, "vllm:spec_decode_num_draft_tokens_total"),
        spec_accepted_tokens=openai.total(listed, "vllm:spec_decode_num_accepted_tokens_total"),
        spec_accepted_per_position=openai.per_position(listed, "vllm:spec_decode_num_accepted_tokens_per_pos_total"),
        identity=openai.start_identity(listed, "vllm:generation_tokens_created"),
    )


def _gauges(samples: Iterable[MetricSample], at_ns: Nanoseconds) -> GaugeSample:
    listed = tuple(samples)
    return GaugeSample(
        at_ns=at_ns,
        running=openai.total(listed, "vllm:num_requests_running"),
        waiting=openai.total(listed, "vllm:num_requests_waiting"),
        kv_use=openai.highest(listed, "vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc"),
    )


def _first_tokens(samples: Iterable[MetricSample]) -> FirstTokens | None:
    return openai.first_tokens(samples, "vllm:time_to_first_token_seconds")


ENGINE = Engine(
    name="vllm",
    rank=10,
    probe_paths=("/version", "/v1/models", "/metrics"),
    detect=_detect,
    body_extras=_extras,
    text_fields=openai.TEXT_FIELDS,
    visible_fields=openai.VISIBLE_FIELDS,
    needs_done=True,
    fixes_length=True,
    metrics_path="/metrics",
    counters=_counters,
    gauges=_gauges,
    first_tokens=_first_tokens,
    tokenize=TokenizeApi(
        path="/tokenize",
        body=openai.tokenize_body,
        count=openai.count_tokens,
    ),
)
