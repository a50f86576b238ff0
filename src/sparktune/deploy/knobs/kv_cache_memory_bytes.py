"""The KV pool as an amount, in the place of what profiling leaves."""

__all__ = ["KNOB"]

from sparktune.model.knob import Effect, Interaction, Knob, Place

KNOB = Knob(
    id="kv_cache_memory_bytes",
    title="size of the KV pool in bytes",
    does=(
        "The pool has exactly this size: the boot does not profile, and the pool does not differ from boot to "
        "boot. Nothing clamps it to what is free."
    ),
    places=(Place(kind="flag", engine="vllm", name="--kv-cache-memory-bytes"),),
    legal="bytes; nothing checks them against what is free",
    least=1,
    takes="restart",
    measure=("kv_use_peak", "preemptions", "output_tok_s"),
    raises_memory=True,
    whole=True,
    interactions=(Interaction(other="gpu_memory_utilization", what="it counts for nothing then"),),
    effects=(
        Effect(
            what="the pool was 2.28M to 2.38M tokens from boot to boot, and constant with it",
            conditions="two DGX Sparks",
            source="https://github.com/Reederey87/dgx-spark-2x-deepseek-v4-flash",
            measured=True,
        ),
    ),
    source="vLLM 0.33, config/cache.py",
)
