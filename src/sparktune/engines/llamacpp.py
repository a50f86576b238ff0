"""llama.cpp's server: how it is recognised, asked, counted and read.

Sources: llama.cpp b11434 and b11669 (``tools/server``), and the server that the ``xllamacpp`` wheel embeds. Facts that
decide something here: ``timings.predicted_n`` is the exact running count of a stream; ``prompt_tokens_total`` leaves
cached tokens out; the header ``Process-Start-Time-Unix`` is no Unix time, but changes when the server restarts.
"""

__all__ = ["ENGINE"]

from collections.abc import Iterable, Mapping

from sparktune.engines import _openai as openai
from sparktune.model.counters import Counters, GaugeSample
from sparktune.model.engine import Answer, Answers, Engine, EngineFacts, JsonValue, MetricSample, TokenizeApi
from sparktune.model.options import SendOptions
from sparktune.units import Nanoseconds

_START = "Process-Start-Time-Unix"


def _detect(answers: Answers) -> EngineFacts | None:
    models = openai.read_models(answers)
    props = openai.read_object(answers, "/props")
    owned = any(entry.get("owned_by") == "llamacpp" for entry in models or ())
    told = props is not None and "total_slots" in props
    named = any(openai.header(answer, "server") == "llama.cpp" for answer in answers.values())
    if not owned and not told and not named:
        return None
    settings = props.get("default_generation_settings") if props else None
    build = props.get("build_info") if props else None
    return EngineFacts(
        name="llamacpp",
        version=build if isinstance(build, str) else None,
        models=openai.model_names(models),
        # Tokens of one slot. Their product with the slots is the pool only when it is not unified, which nothing tells.
        max_model_len=openai.whole(settings, "n_ctx") if isinstance(settings, dict) else None,
        block_tokens=1,
        slots=openai.whole(props, "total_slots"),
        has_metrics=openai.has_metrics(answers, "/metrics", "llamacpp:"),
        how=_how(owned=owned, told=told),
    )


def _how(*, owned: bool, told: bool) -> str:
    if owned:
        return 'owned_by "llamacpp" in /v1/models'
    return "total_slots in /props" if told else "header Server: llama.cpp"


def _extras(options: SendOptions, cold: bool) -> dict[str, JsonValue]:  # noqa: FBT001 # Engine.body_extras' signature
    """Build the request fields. EOS is biased away by ``ignore_eos``, so that no minimum length is needed or known."""
    extras: dict[str, JsonValue] = {
        "stream_options": openai.stream_options(continuous=False),
        "timings_per_token": True,
        "cache_prompt": not cold,
    }
    if options.fixed_length:
        extras["ignore_eos"] = True
    return extras | openai.thinking_kwargs(options)


def _tokenize_body(model: str, messages: tuple[tuple[str, str], ...], options: SendOptions) -> dict[str, JsonValue]:
    """Build the body of either route; both counts were compared with ``usage.prompt_tokens`` of a real server."""
    prompt = openai.plain_prompt(messages)
    if prompt is not None:
        return {"content": prompt, "add_special": True}
    return openai.tokenize_body(model, messages, options)


def _counters(samples: Iterable[MetricSample], headers: Mapping[str, str]) -> Counters:
    """Read counters. ``prompt_tokens`` stays unknown on builds that do not count cached tokens beside the others."""
    listed = tuple(samples)
    computed = openai.total(listed, "llamacpp:prompt_tokens_total")
    cached = openai.total(listed, "llamacpp:prompt_tokens_cached_total")
    return Counters(
        prompt_tokens=None if computed is None or cached is None else computed + cached,
        cached_prompt_tokens=cached,
        generation_tokens=openai.total(listed, "llamacpp:tokens_predicted_total"),
        spec_drafts=openai.total(listed, "llamacpp:spec_decode_num_drafts_total"),
        spec_draft_tokens=openai.total(listed, "llamacpp:spec_decode_num_draft_tokens_total"),
        spec_accepted_tokens=openai.total(listed, "llamacpp:spec_decode_num_accepted_tokens_total"),
        spec_accepted_per_position=openai.per_position(
            listed, "llamacpp:spec_decode_num_accepted_tokens_per_pos_total"
        ),
        identity=openai.header(Answer(status=0, headers=headers), _START) or None,
    )


def _gauges(samples: Iterable[MetricSample], at_ns: Nanoseconds) -> GaugeSample:
    """Read gauges. Builds after 2025 tell nothing about the KV cache here."""
    listed = tuple(samples)
    return GaugeSample(
        at_ns=at_ns,
        running=openai.total(listed, "llamacpp:requests_processing"),
        waiting=openai.total(listed, "llamacpp:requests_deferred"),
        kv_use=openai.highest(listed, "llamacpp:kv_cache_usage_ratio"),
        kv_tokens=openai.number(openai.total(listed, "llamacpp:kv_cache_tokens")),
    )


ENGINE = Engine(
    name="llamacpp",
    rank=30,
    probe_paths=("/props", "/v1/models", "/metrics"),
    detect=_detect,
    body_extras=_extras,
    text_fields=openai.TEXT_FIELDS,
    visible_fields=openai.VISIBLE_FIELDS,
    needs_done=False,
    fixes_length=True,
    metrics_path="/metrics",
    counters=_counters,
    gauges=_gauges,
    tokenize=TokenizeApi(
        path="/v1/chat/completions/input_tokens",
        plain_path="/tokenize",
        body=_tokenize_body,
        count=openai.count_tokens,
    ),
)
