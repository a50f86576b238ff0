"""Settings as they are live: the command line and environment of a process, and what its server answers.

Sources: proc(5); vLLM 0.33.0: labels of ``vllm:cache_config_info``, ``/server_info?config_format=json`` (where
developer mode is on), ``/v1/models``; SGLang 0.5.23: ``/server_info`` has every resolved option by name;
llama.cpp b11669: ``/props``, ``/v1/models``. None of the answers has everything: what is absent in one is not known
from it, and no default.
"""

__all__ = ["answered_settings", "metric_settings", "process_settings"]

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sparktune.deploy.settings.environment import env_setting, with_environment
from sparktune.deploy.settings.grammars import all_grammars
from sparktune.deploy.settings.normal import Normal, normal_form, same_named, settings_of_map
from sparktune.deploy.settings.values import plain
from sparktune.model.document import Word
from sparktune.model.engine import MetricSample
from sparktune.model.setting import Grammar, Layer, Origin, Setting, Value

_METRIC_NAMES = {"cache_dtype": "kv_cache_dtype"}
_CACHE_LABELS = frozenset(
    {
        "block_size",
        "enable_prefix_caching",
        "gpu_memory_utilization",
        "kv_cache_dtype",
        "kv_cache_memory_bytes",
        "mamba_block_size",
        "num_gpu_blocks_override",
        "prefix_caching_hash_algo",
    }
)


def process_settings(
    argv: Sequence[str], environ: Mapping[str, str], grammar: Grammar, *, pid: int, node: str
) -> Normal:
    """Return the settings of a process; its variables are those that it was started with."""
    origin = Origin(layer=Layer.LIVE, place=f"pid {pid} of {node}", node=node)
    normal = normal_form([Word(text=word, line=0) for word in argv], grammar, origin=origin)
    return with_environment(normal, (env_setting(name, text, origin) for name, text in environ.items()), grammar)


def metric_settings(samples: Iterable[MetricSample], place: str, *, node: str | None = None) -> tuple[Setting, ...]:
    """Return what vLLM's metrics tell of its cache, of the first engine."""
    labels = next((sample.labels for sample in samples if sample.name == "vllm:cache_config_info"), {})
    values = {_METRIC_NAMES.get(name, name): _label(text) for name, text in labels.items()}
    known = {name: value for name, value in values.items() if name in _CACHE_LABELS and value is not None}
    return settings_of_map(known, Origin(layer=Layer.LIVE, place=f"{place} vllm:cache_config_info", node=node))


def answered_settings(path: str, body: str | bytes, place: str, *, node: str | None = None) -> tuple[Setting, ...]:
    """Return what an answer tells: ``path`` is ``/server_info``, ``/props`` or ``/v1/models``; of others nothing.

    ``place`` is the server's address.
    """
    read = _ANSWERS.get(path.partition("?")[0])
    try:
        answer = json.loads(body)
        if read is None or not isinstance(answer, Mapping):
            return ()
        return read(answer, Origin(layer=Layer.LIVE, place=f"{place}{path}", node=node))
    except (ValueError, RecursionError):  # no JSON, or nested without end
        return ()


def _label(text: str) -> Value:
    words: Mapping[str, Value] = {"True": True, "False": False, "None": None}
    if text in words:
        return words[text]
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def _server_info(answer: Mapping[str, Any], origin: Origin) -> tuple[Setting, ...]:
    if isinstance(answer.get("vllm_config"), Mapping):
        return _vllm_info(answer, origin)
    return _known(answer, "sglang", origin)


def _vllm_info(answer: Mapping[str, Any], origin: Origin) -> tuple[Setting, ...]:
    found: dict[str, Any] = {}
    options = {option.name for option in _grammar("vllm").options}
    for name, section in answer["vllm_config"].items():
        if name in options:
            found[name] = section
        elif isinstance(section, Mapping):
            found |= {_METRIC_NAMES.get(str(key), str(key)): value for key, value in section.items()}
    variables = answer.get("vllm_env")
    known = variables.items() if isinstance(variables, Mapping) else ()
    return (
        *_known(found, "vllm", origin),
        *(env_setting(str(name), None if text is None else str(text), origin) for name, text in known),
    )


def _known(values: Mapping[str, Any], engine: str, origin: Origin) -> tuple[Setting, ...]:
    """Keep what the engine has an option for; what it left to itself is null, and said nowhere."""
    grammar = _grammar(engine)
    names = {option.name for option in grammar.options}
    kept = {name: plain(value) for name, value in values.items() if name in names and value is not None}
    return same_named(Normal(settings=settings_of_map(kept, origin)), grammar).settings


def _props(answer: Mapping[str, Any], origin: Origin) -> tuple[Setting, ...]:
    generation = answer.get("default_generation_settings")
    context = generation.get("n_ctx") if isinstance(generation, Mapping) else None
    found: dict[str, Any] = {
        "model": answer.get("model_path"),
        "alias": answer.get("model_alias"),
        "parallel": answer.get("total_slots"),
        "slots": answer.get("endpoint_slots"),
        "metrics": answer.get("endpoint_metrics"),
        "props": answer.get("endpoint_props"),
        "n_ctx_slot": context,
    }
    return settings_of_map({name: plain(value) for name, value in found.items() if value is not None}, origin)


def _models(answer: Mapping[str, Any], origin: Origin) -> tuple[Setting, ...]:
    listed = answer.get("data")
    models = [one for one in listed if isinstance(one, Mapping)] if isinstance(listed, list) else []
    if not models:
        return ()
    names = tuple(str(one["id"]) for one in models if "id" in one)
    if models[0].get("owned_by") == "llamacpp":
        meta = models[0].get("meta")
        context = meta.get("n_ctx") if isinstance(meta, Mapping) else None
        found: dict[str, Value] = {"alias": ",".join(names), "n_ctx_slot": plain(context)}
    else:
        served: Value = names if models[0].get("owned_by") == "vllm" else names[0] if names else None
        found = {"served_model_name": served, "max_model_len": plain(models[0].get("max_model_len"))}
        if models[0].get("owned_by") == "sglang":
            found["context_length"] = found.pop("max_model_len")
    return settings_of_map({name: value for name, value in found.items() if value is not None}, origin)


def _grammar(engine: str) -> Grammar:
    return next(grammar for grammar in all_grammars() if grammar.engine == engine)


_ANSWERS: Mapping[str, Callable[[Mapping[str, Any], Origin], tuple[Setting, ...]]] = {
    "/server_info": _server_info,
    "/get_server_info": _server_info,
    "/props": _props,
    "/v1/models": _models,
}
