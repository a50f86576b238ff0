"""How the KV pool's numbers are kept."""

__all__ = ["KNOB"]

from sparktune.model.knob import Effect, Knob, Place

KNOB = Knob(
    id="kv_cache_dtype",
    title="number format of the KV pool",
    does=(
        "A narrower format holds more tokens and reads faster; it may change answers and how many draft tokens are "
        "accepted."
    ),
    places=(
        Place(kind="flag", engine="vllm", name="--kv-cache-dtype"),
        Place(kind="recipe", engine="vllm", name="kv_cache_dtype"),
        Place(kind="flag", engine="sglang", name="--kv-cache-dtype"),
        Place(kind="flag", engine="llamacpp", name="--cache-type-k"),
        Place(kind="env", engine="llamacpp", name="LLAMA_ARG_CACHE_TYPE_K"),
    ),
    legal="what the engine and the model's kernels offer: auto, fp8, fp8_e4m3, f16, q8_0 ...",
    takes="restart",
    measure=("decode_tok_s", "acceptance_length", "kv_use_peak"),
    quality=True,
    effects=(
        Effect(
            what="decode 16 times slower at 600K tokens with one narrow format, for want of a kernel",
            conditions="two DGX Sparks",
            source="https://github.com/MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark/issues/22",
            measured=True,
        ),
    ),
    source="vLLM 0.33, config/cache.py; llama.cpp server README",
)
