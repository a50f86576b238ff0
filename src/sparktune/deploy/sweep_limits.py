"""Arithmetic that shows, before a start, that a configuration cannot serve a workload or is no other than the baseline.

Sources: vLLM 0.33, config/scheduler.py ``verify_max_model_len`` (a step smaller than the number of sequences, or
without chunked prefill than the length, ends the start) and v1/core/kv_cache_utils.py (one request of full length has
to fit into the KV pool); llama.cpp, src/llama-context.cpp (a piece is not larger than the batch).
"""

__all__ = ["Ground", "broken_limit", "graphs_of"]

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from sparktune.deploy.graph_coverage import Coverage, Graphs, coverage, least_cap
from sparktune.model.setting import Value
from sparktune.model.sweep import Pruned
from sparktune.units import Bytes, Tokens, format_bytes

_LENGTHS: Final = {"vllm": "max_model_len", "sglang": "context_length"}
_SHARES: Final = {"vllm": "gpu_memory_utilization", "sglang": "mem_fraction_static"}
_SEQS, _BATCHED, _DRAFTS = "max_num_seqs", "max_num_batched_tokens", "speculative_config.num_speculative_tokens"
_POOL: Final = frozenset({"max_model_len", "block_size"})  # what may change and leave the memory of the pool as it is
_GIB: Final = 2**30
# The pool is told as so many tokens of full length. A model some of whose layers keep a window only needs less for a
# longer request than in proportion, so that a length a little above may fit; only what is far above is left out.
_SURELY_ABOVE: Final = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What is known before a start; None or absent is not known, and nothing is left out for that.

    ``values`` are the baseline's settings in normal form, ``facts`` what its last start logged (keys of logs/facts).
    ``concurrency`` is the most requests that the workload has in flight, ``request_tokens`` its longest request with
    its answer. ``memory`` is what the smallest node has, CPU and GPU together, ``floor`` what a guard keeps free there.
    """

    engine: str
    values: Mapping[str, Value] = field(default_factory=dict)
    facts: Mapping[str, float] = field(default_factory=dict)
    concurrency: int | None = None
    request_tokens: Tokens | None = None
    memory: Bytes | None = None
    floor: Bytes | None = None
    version: tuple[int, int] | None = None


def broken_limit(key: str, wanted: Mapping[str, Value], ground: Ground) -> Pruned | None:
    """Return why a configuration with these settings is not worth a start, None where nothing shows it."""
    for rule, judge in _RULES.items():
        why = judge(wanted, ground)
        if why:
            return Pruned(key=key, why=why, rule=rule)
    return None


def graphs_of(values: Mapping[str, Value], version: tuple[int, int] | None) -> Coverage | None:
    """Return how many requests decode inside a graph with these settings of a vLLM, None where that is not known."""
    requests, cap, batched = (_number(values, key) for key in (_SEQS, "max_cudagraph_capture_size", _BATCHED))
    sizes = values.get("cudagraph_capture_sizes")
    speculates = any(key.split(".")[0] == "speculative_config" for key in values)
    drafts = _number(values, _DRAFTS)
    if requests is None or (speculates and drafts is None) or values.get("enforce_eager") is True:
        return None
    return coverage(
        Graphs(
            requests=int(requests),
            drafts=int(drafts or 0),
            cap=None if cap is None else int(cap),
            sizes=tuple(one for one in sizes if isinstance(one, int)) if isinstance(sizes, tuple) else None,
            batched_tokens=None if batched is None else int(batched),
            version=version,
        )
    )


def _too_short(wanted: Mapping[str, Value], ground: Ground) -> str:
    name = _LENGTHS.get(ground.engine, "")
    length, longest = _number(wanted, name), ground.request_tokens
    if length is None or longest is None or not 0 < length < longest:
        return ""
    return f"the longest request of the workload has {longest} tokens with its answer, and {name} is {length:.12g}"


def _above_pool(wanted: Mapping[str, Value], ground: Ground) -> str:
    length, pool = _number(wanted, "max_model_len"), ground.facts.get("kv_pool_tokens")
    moved = {key for key in {*wanted, *ground.values} if wanted.get(key) != ground.values.get(key)}
    if ground.engine != "vllm" or length is None or pool is None or not moved <= _POOL:
        return ""
    if length <= _SURELY_ABOVE * pool:
        return ""
    return (
        f"one request of {length:.12g} tokens has to fit into the KV pool; at the last start that held {pool:.12g}, "
        f"{length / pool:.1f} times less, and nothing here enlarges it"
    )


def _small_step(wanted: Mapping[str, Value], ground: Ground) -> str:
    step, requests, length = (_number(wanted, key) for key in (_BATCHED, _SEQS, "max_model_len"))
    if ground.engine != "vllm" or step is None:
        return ""
    if requests is not None and step < requests:
        return f"vLLM does not start with {_BATCHED} {step:.12g} below {_SEQS} {requests:.12g}"
    if length is not None and step < length and wanted.get("enable_chunked_prefill") is False:
        return (
            f"without chunked prefill vLLM does not start with {_BATCHED} {step:.12g} below max_model_len {length:.12g}"
        )
    return ""


def _no_room(wanted: Mapping[str, Value], ground: Ground) -> str:
    name = _SHARES.get(ground.engine, "")
    share, pool = _number(wanted, name), _number(wanted, "kv_cache_memory_bytes")
    weights = ground.facts.get("weights_gib")
    if ground.memory is None or ground.floor is None:
        return ""
    if ground.engine == "vllm" and pool is not None and weights is not None:
        taken, said = pool + weights * _GIB, f"a KV pool of {_size(pool)} and weights of {weights:.12g} GiB"
    elif pool is None and share is not None and 0 < share <= 1:
        taken, said = (
            share * ground.memory,
            f"{name} {share:.12g} of {_size(ground.memory)} is {_size(share * ground.memory)}",
        )
    else:
        return ""
    left = ground.memory - taken
    if left >= ground.floor:
        return ""
    leaves = f"leaves {_size(left)}" if left > 0 else f"is {_size(-left)} more than there is"
    return (
        f"{said}: that {leaves} of the memory that CPU and GPU share, and the guard stops below {_size(ground.floor)}"
    )


def _few_graphs(wanted: Mapping[str, Value], ground: Ground) -> str:
    if ground.engine != "vllm" or ground.concurrency is None:
        return ""
    now, then = (graphs_of(values, ground.version) for values in (ground.values, wanted))
    if now is None or then is None:
        return ""
    running = min(ground.concurrency, int(_number(wanted, _SEQS) or ground.concurrency))
    if not then.requests < running <= now.requests:
        return ""
    cap = least_cap(running, int(_number(wanted, _DRAFTS) or 0))
    way = f"; max_cudagraph_capture_size {cap} would hold them" if cap is not None else ""
    return (
        f"the workload has {running} requests in flight; with this, {then.requests} of them decode inside a CUDA graph "
        f"(largest captured step: {then.tokens} tokens), with the baseline all {running}{way}"
    )


def _same_graphs(wanted: Mapping[str, Value], ground: Ground) -> str:
    key = "max_cudagraph_capture_size"
    moved = {one for one in {*wanted, *ground.values} if wanted.get(one) != ground.values.get(one)}
    if ground.engine != "vllm" or moved != {key} or key not in wanted:
        return ""
    now, then = (graphs_of(values, ground.version) for values in (ground.values, wanted))
    known = key in ground.values and now is not None and then is not None
    if not known or now is None or then is None or now.tokens != then.tokens:
        return ""
    return f"the engine cuts it to {then.tokens} tokens, and what the baseline has, {ground.values[key]}, to the same"


def _piece_above_batch(wanted: Mapping[str, Value], ground: Ground) -> str:
    piece, batch = _number(wanted, "ubatch_size"), _number(wanted, "batch_size")
    before = _number(ground.values, "ubatch_size")
    if ground.engine != "llamacpp" or piece is None or batch is None or piece <= batch or before != batch:
        return ""
    return f"a piece is never larger than the batch: {piece:.12g} counts as {batch:.12g}, as the baseline has it"


_RULES: Final = {
    "context-length": _too_short,
    "kv-pool": _above_pool,
    "step-size": _small_step,
    "memory-floor": _no_room,
    "graph-coverage": _few_graphs,
    "same-graphs": _same_graphs,
    "batch-size": _piece_above_batch,
}


def _number(values: Mapping[str, Value], key: str) -> float | None:
    found = values.get(key)
    return float(found) if isinstance(found, int | float) and not isinstance(found, bool) else None


def _size(size: float) -> str:
    return format_bytes(round(size))
