"""The command that a sparkrun runtime writes for a recipe without one, from the defaults it has a flag for.

Source: sparkrun 0.4.2, ``runtimes/`` (``_vllm_common.py``, ``sglang.py``, ``llama_cpp.py``): which key becomes which
flag, and in which order. A default without a flag is left out.
"""

__all__ = ["built", "split_mode"]

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sparktune.deploy.settings.recipe import Default, Recipe, placed
from sparktune.formats.located import Located
from sparktune.formats.pieces import joined

# In the order in which they are written; ?x is a flag without a value, ~x one that can also be denied, x=--y its name
_VLLM = """
port host tensor_parallel=-tp gpu_memory_utilization max_model_len max_num_batched_tokens max_num_seqs
served_model_name dtype quantization ?enforce_eager ~enable_prefix_caching ?trust_remote_code
distributed_executor_backend pipeline_parallel=-pp data_parallel=--data-parallel-size kv_cache_dtype
otlp_traces_endpoint api_key attention_backend load_format reasoning_parser tool_call_parser chat_template
speculative_config tokenizer_mode mm_encoder_tp_mode block_size seed ?enable_auto_tool_choice
~enable_chunked_prefill ~async_scheduling generation_config hf_overrides compilation_config attention_config
model_loader_extra_config default_chat_template_kwargs limit_mm_per_prompt mm_processor_cache_gb
kv_cache_memory_bytes max_cudagraph_capture_size long_prefill_token_threshold mamba_cache_mode mamba_cache_dtype
mamba_ssm_cache_dtype reasoning_parser_plugin media_io_kwargs video_pruning_rate allowed_local_media_path
prefix_match_unit ?enable_mamba_shared_prefix_checkpoint safetensors_load_strategy moe_backend
?enable_prompt_tokens_details ?enable_force_include_usage ?enable_request_id_headers ~enable_flashinfer_autotune
linear_backend gdn_prefill_backend gdn_decode_kernel kda_prefill_backend mamba_backend
recurrent_checkpoint_policy prefix_cache_retention_interval engram_config dcp_comm_backend prefill_policy
prefill_compute_share prefill_compute_half_life prefill_schedule_interval max_parallel_prefills
decode_refill_target ~scheduler_reserve_full_isl jit_monitor_mode ?disable_custom_all_reduce
"""
_SGLANG = """
port host tensor_parallel=--tp-size pipeline_parallel=--pp-size expert_parallel=--ep-size
data_parallel=--dp-size ?enable_dp_attention gpu_memory_utilization=--mem-fraction-static
max_model_len=--context-length max_num_seqs=--max-running-requests served_model_name dtype quantization
?trust_remote_code chunked_prefill=--chunked-prefill-size kv_cache_dtype tokenizer_path api_key
attention_backend load_format revision model_type max_total_tokens random_seed reasoning_parser tool_call_parser
mm_feature_transport speculative_algorithm speculative_draft_model_path speculative_draft_model_revision
speculative_num_steps speculative_eagle_topk speculative_num_draft_tokens speculative_dspark_block_size
cuda_graph_bs cuda_graph_max_bs cuda_graph_max_bs_decode torch_compile_max_bs num_continuous_decode_steps
fp8_gemm_backend fp4_gemm_backend moe_runner_backend mamba_ssm_dtype mamba_full_memory_ratio
?enable_torch_compile ?disable_radix_cache ?disable_prefill_cuda_graph ?enable_decoder_swa_bounded_replay
"""
_LLAMA = """
port host ctx_size n_gpu_layers parallel threads chat_template reasoning_format split_mode
served_model_name=--alias api_key top_p top_k temperature=--temp min_p presence_penalty
?cont_batching ?no_webui ?jinja
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Key:
    name: str
    flag: str
    kind: str


def built(recipe: Recipe, values: Mapping[str, Default], used: set[str]) -> Located:
    """Return the command, and add to ``used`` the defaults that are in it; an unknown runtime writes none."""
    words = {"sglang": _sglang, "llama-cpp": _llama}.get(recipe.runtime)
    if words is None and not recipe.runtime.startswith("vllm"):
        return placed("", recipe.model.located.before)
    pieces: list[Located] = []
    for word in (words or _vllm)(recipe, values, used):
        if pieces:
            pieces.append(placed(" ", word.before))
        pieces.append(word)
    return joined(pieces, recipe.model.located)


def _vllm(recipe: Recipe, values: Mapping[str, Default], used: set[str]) -> Iterator[Located]:
    model = recipe.model.located
    yield placed("vllm", model.before)
    yield placed("serve", model.before)
    yield model
    local = model.text.startswith("/") or ":" in model.text
    if recipe.revision is not None and not local:
        yield placed("--revision", recipe.revision.located.before)
        yield placed(shlex.quote(recipe.revision.located.text), recipe.revision.located.before)
    yield from _first(values, "tensor_parallel", "-tp", used)
    yield from _flags(_VLLM, values, used, {"tensor_parallel", "distributed_executor_backend"})


def _sglang(recipe: Recipe, values: Mapping[str, Default], used: set[str]) -> Iterator[Located]:
    model = recipe.model.located
    for word in ("sglang", "serve", "--model-path", shlex.quote(model.text)):
        yield placed(word, model.before)
    draft = values.get("speculative_draft_model")
    if draft is not None and draft.value and not _said(values, "speculative_draft_model_path"):
        used.add("speculative_draft_model")
        values = {**values, "speculative_draft_model_path": draft}
    yield from _first(values, "tensor_parallel", "--tp-size", used)
    yield from _flags(_SGLANG, values, used, {"tensor_parallel", "data_parallel"})
    copies = values.get("data_parallel")
    if copies is not None and str(copies.value).isdigit() and int(copies.value) > 1:
        yield from _first(values, "data_parallel", "--dp-size", used)


def _llama(recipe: Recipe, values: Mapping[str, Default], used: set[str]) -> Iterator[Located]:
    model = recipe.model.located
    flag = "-hf" if "/" in model.text and not model.text.lower().endswith(".gguf") else "-m"
    for word in ("llama-server", flag, model.text):
        yield placed(word, model.before)
    if not _said(values, "ctx_size") and _said(values, "max_model_len"):
        used.add("max_model_len")
        values = {**values, "ctx_size": values["max_model_len"]}
    split = split_mode(values, used) or ("" if "split_mode" in values else "layer")
    if split:
        values = {**values, "split_mode": Default(value=split, located=placed(split, model.before))}
    yield from _flags(_LLAMA, values, used, set())
    if _said(values, "flash_attn"):
        attention = values["flash_attn"]
        text = {True: "on", False: "off"}.get(attention.value, str(attention.value))
        yield from _placed_flag("--flash-attn", text, attention, "flash_attn", used)
    for name in ("webui", "mmap"):
        if _said(values, name) and not _true(values[name].value):
            used.add(name)
            yield placed(f"--no-{name}", values[name].located.before)


def split_mode(values: Mapping[str, Default], used: set[str]) -> str:
    """Return how llama.cpp splits a model because of the parallelism that is asked for, "" where none is."""
    for name, mode in (("tensor_parallel", "row"), ("pipeline_parallel", "layer")):
        if _said(values, name) and str(values[name].value).isdigit() and int(values[name].value) > 1:
            used.add(name)
            return mode
    return ""


def _first(values: Mapping[str, Default], name: str, flag: str, used: set[str]) -> Iterator[Located]:
    default = values.get(name)
    if default is not None and default.value:
        yield from _placed_flag(flag, str(default.value), default, name, used)


def _flags(table: str, values: Mapping[str, Default], used: set[str], skipped: set[str]) -> Iterator[Located]:
    for key in _keys(table):
        default = values.get(key.name)
        if default is None or default.value is None or key.name in skipped:
            continue
        used.add(key.name)
        place = default.located.before
        if not key.kind:
            yield from _placed_flag(key.flag, _text(default.value), default, key.name, used)
        elif _true(default.value):
            yield placed(key.flag, place)
        elif key.kind == "~":
            yield placed(f"--no-{key.flag.removeprefix('--')}", place)


def _placed_flag(flag: str, text: str, default: Default, name: str, used: set[str]) -> Iterator[Located]:
    used.add(name)
    yield placed(flag, default.located.before)
    yield default.located if text == default.located.text else placed(text, default.located.before)


def _keys(table: str) -> Iterator[_Key]:
    for word in table.split():
        kind = word[0] if word[0] in "?~" else ""
        name, _, flag = word.lstrip("?~").partition("=")
        yield _Key(name=name, flag=flag or "--" + name.replace("_", "-"), kind=kind)


def _said(values: Mapping[str, Default], name: str) -> bool:
    return name in values and values[name].value is not None


def _text(value: Any) -> str:  # noqa: ANN401 - what the recipe's author wrote
    if isinstance(value, dict | list | tuple):
        return shlex.quote(json.dumps(value, separators=(",", ":"), default=str))
    if isinstance(value, str) and value.strip()[:1] in {"{", "["}:
        return shlex.quote(value.strip())
    return str(value)


def _true(value: Any) -> bool:  # noqa: ANN401 - see above
    """Whether sparkrun takes a value as yes: one with a 1, a t or a y in it."""
    if isinstance(value, bool) or not value:
        return bool(value)
    return any(letter in str(value).lower() for letter in "1ty")
