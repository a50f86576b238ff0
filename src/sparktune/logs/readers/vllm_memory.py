"""How large the KV cache of a vLLM is: GiB, tokens, and requests of full length.

The number of tokens depends on max_model_len where a model has several kinds of layers. 0.33 writes on one line what
others write on two. Source: vLLM 0.8 to 0.33, v1/core/kv_cache_utils.py, v1/worker/gpu_worker.py.
"""

__all__ = ["READER"]

from sparktune.logs.readers._shared import SIZES, pattern_reader

READER = pattern_reader(
    "vllm",
    ("KV cache size: ", "Maximum concurrency for ", "Available KV cache memory: "),
    (
        rf"\bGPU KV cache size: (?P<kv_pool_tokens>{SIZES}) tokens",
        rf"\bGPU \+ host KV cache size: (?P<kv_pool_with_host_tokens>{SIZES}) tokens",
        rf"Maximum concurrency for (?P<kv_length_tokens>{SIZES}) tokens per request: (?P<kv_full_requests>[\d.]+)x",
        r"Available KV cache memory: (?P<kv_memory_gib>-?\d+(?:\.\d+)?) GiB",
    ),
)
