"""SGLang: how it is recognised, asked, counted and read.

Sources: SGLang 0.5.23 (``srt/entrypoints/openai`` protocol and serving files, ``http_server.py``,
``metrics/collector.py``). It streams continuous usage since October 2025; older versions ignore the option, and
then only totals are known.
"""

__all__ = ["ENGINE"]

from collections.abc import Iterable, Mapping

from sparktune.engines import _openai as openai
from sparktune.model.counters import Counters, FirstTokens, GaugeSample
from sparktune.model.engine import Answers, Engine, EngineFacts, JsonValue, MetricSample, TokenizeApi
from sparktune.model.options import SendOptions
from sparktune.units import Nanoseconds

_INFO_PATHS = ("/server_info", "/get_server_info")  # the second is the older name
_ONE_RANK = {"tp_rank": "0", "pp_rank": "0"}  # all ranks of one engine may report the same requests


def _detect(answers: Answers) -> EngineFacts | None:
    models = openai.read_models(answers)
    info = next((found for path in _INFO_PATHS if (found := openai.read_object(answers, path))), None)
    owned = any(entry.get("owned_by") == "sglang" for entry in models or ())
    resolved = info is not None and "mem_fraction_static" in info
    if not owned and not resolved:
        return None
    radix_off = info.get("disable_radix_cache") if info else None
    version = info.get("version") if info else None
    return EngineFacts(
        name="sglang",
        version=version if isinstance(version, str) else None,
        models=openai.model_names(models),
        max_model_len=(openai.whole(models[0], "max_model_len") if models else None)
        or openai.whole(info, "context_length"),
        kv_pool_tokens=openai.whole(info, "max_total_num_tokens"),
        block_tokens=openai.whole(info, "page_size"),
        slots=openai.whole(info, "max_running_requests"),
        prefix_caching=not radix_off if isinstance(radix_off, bool) else None,
        has_metrics=openai.has_metrics(answers, "/metrics", "sglang:"),
        how='owned_by "sglang" in /v1/models' if owned else "resolved arguments in /server_info",
    )


def _extras(options: SendOptions, cold: bool) -> dict[str, JsonValue]:  # noqa: FBT001 # Engine.body_extras' signature
    extras: dict[str, JsonValue] = {"stream_options": openai.stream_options(continuous=True)}
    if options.fixed_length:
        extras |= {"ignore_eos": True, "min_tokens": 0}
    if cold:
        extras["cache_salt"] = ""
    return extras | openai.thinking_kwargs(options)


def _counters(samples: Iterable[MetricSample], headers: Mapping[str, str]) -> Counters:
    """Read counters. There are none for drafted and accepted tokens: only verification calls, that is draft rounds."""
    del headers
    listed = tuple(samples)
    return Counters(
        requests_finished=openai.total(listed, "sglang:num_requests_total"),
        prompt_tokens=openai.total(listed, "sglang:prompt_tokens_total"),
        cached_prompt_tokens=openai.total(listed, "sglang:cached_tokens_total"),
        generation_tokens=openai.total(listed, "sglang:generation_tokens_total"),
        preemptions=openai.total(listed, "sglang:num_retracted_requests_total", **_ONE_RANK),
        spec_drafts=openai.total(listed, "sglang:spec_verify_calls_total"),
        identity=openai.start_identity(listed, "sglang:generation_tokens_created"),
    )


def _gauges(samples: Iterable[MetricSample], at_ns: Nanoseconds) -> GaugeSample:
    listed = tuple(samples)
    return GaugeSample(
        at_ns=at_ns,
        running=openai.total(listed, "sglang:num_running_reqs", **_ONE_RANK),
        waiting=openai.total(listed, "sglang:num_queue_reqs", **_ONE_RANK),
        kv_use=openai.highest(listed, "sglang:full_token_usage", "sglang:token_usage"),
        kv_tokens=openai.number(
            openai.total(listed, "sglang:kv_used_tokens", "sglang:num_used_tokens", **_ONE_RANK),
        ),
    )


def _first_tokens(samples: Iterable[MetricSample]) -> FirstTokens | None:
    return openai.first_tokens(samples, "sglang:time_to_first_token_seconds")


ENGINE = Engine(
    name="sglang",
    rank=20,
    probe_paths=("/v1/models", *_INFO_PATHS, "/metrics"),
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
