"""Every key of a fact that a log can tell: what it is called, and its unit. Readers use no other key."""

__all__ = ["FACTS", "FactKind"]

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class FactKind:
    """``title`` is for people, ``unit`` "" without one; ``text``: its value is a text, whatever it looks like."""

    title: str
    unit: str = ""
    text: bool = False


def _kind(title: str, unit: str = "", *, text: bool = False) -> FactKind:
    return FactKind(title=title, unit=unit, text=text)


# Keys that begin with nccl, kv_, graph, transport or init are told by all ranks at about one moment (logs/clocks.py):
# what a server repeats while it serves begins with stats_ or spec_.
FACTS: Final[Mapping[str, FactKind]] = {
    "version": _kind("Version", text=True),
    "weights_gib": _kind("Weights in memory", "GiB"),
    "weights_loaded_s": _kind("Weights loaded in", "s"),
    "compile_s": _kind("Compiled in", "s"),
    "init_s": _kind("Profiled, cache made and warmed up in", "s"),
    "attention_backend": _kind("Attention backend", text=True),
    "moe_backend": _kind("Backend of experts", text=True),
    "kv_memory_gib": _kind("Memory for KV cache", "GiB"),
    "kv_pool_tokens": _kind("KV pool", "tokens"),
    "kv_pool_with_host_tokens": _kind("KV pool with host memory", "tokens"),
    "kv_length_tokens": _kind("Length that requests are counted with", "tokens"),
    "kv_full_requests": _kind("Requests of that length that fit", "x"),
    "kv_cells": _kind("Cells of the KV cache", "tokens"),
    "graph_truncated_tokens": _kind("Largest graph after a cut", "tokens"),
    "graph_sizes": _kind("Sizes of graphs", "tokens"),
    "graph_full_count": _kind("FULL graphs"),
    "graph_full_largest": _kind("Largest FULL graph", "tokens"),
    "graph_piecewise_count": _kind("PIECEWISE graphs"),
    "graph_s": _kind("Graphs captured in", "s"),
    "graph_gib": _kind("Memory of graphs", "GiB"),
    "graph_memory_from": _kind("Share of memory, graphs not counted"),
    "graph_memory_to": _kind("The same share, graphs counted"),
    "nccl_version": _kind("NCCL", text=True),
    "nccl_ranks": _kind("Ranks of a group"),
    "transport": _kind("Transport between nodes", text=True),
    "transport_devices": _kind("Devices of the transport", text=True),
    "transport_gid": _kind("GID index"),
    "transport_offered": _kind("Transport that is offered", text=True),
    "rpc_client": _kind("A client of the RPC server"),
    "spec_length": _kind("Acceptance length, with the model's own token", "tokens"),
    "spec_accepted": _kind("Draft tokens accepted", "tokens"),
    "spec_drafted": _kind("Draft tokens", "tokens"),
    "spec_drafts": _kind("Drafts"),
    "spec_rate": _kind("Draft tokens accepted, of all", "%"),
    "spec_positions": _kind("Accepted by position"),
    "spec_position_count": _kind("Position and how often it was accepted"),
    "stats_prompt_tok_s": _kind("Prompt tokens, over an interval", "tok/s"),
    "stats_generation_tok_s": _kind("Tokens generated, over an interval", "tok/s"),
    "stats_request_tok_s": _kind("Tokens generated, of one request", "tok/s"),
    "stats_running": _kind("Requests running"),
    "stats_waiting": _kind("Requests waiting"),
    "stats_deferred": _kind("Requests deferred"),
    "stats_preemptions": _kind("Preemptions in an interval"),
    "stats_kv_use": _kind("KV cache in use", "%"),
    "stats_prefix_hits": _kind("Prefix cache hits, of late", "%"),
    "stats_without_graph": _kind("Decoding outside of graphs, requests"),
    "jit_monitor": _kind("Compiling is watched from here on"),
    "jit_compiled": _kind("Compiled while serving", text=True),
    "autotune": _kind("Autotuning", text=True),
    "unknown_variable": _kind("Variable that the engine does not know", text=True),
    "ready": _kind("Ready to serve"),
    "slots": _kind("Slots"),
    "slot_length_tokens": _kind("Length of a slot", "tokens"),
    "offloaded_layers": _kind("Layers on the GPU"),
    "model_layers": _kind("Layers of the model"),
    "flash_attention": _kind("Flash attention", text=True),
    "kv_memory_mib": _kind("Memory for KV cache", "MiB"),
    "weights_mib": _kind("Weights in a buffer", "MiB"),
    "graph_largest_batch": _kind("Largest batch with a graph"),
    "max_running": _kind("Requests at most"),
    "memory_left_gb": _kind("GPU memory left", "GB"),
}
"""By key, in the order in which they are shown."""
