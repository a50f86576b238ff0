"""The share of the memory that an engine plans with."""

__all__ = ["KNOB"]

from sparktune.model.knob import Effect, Interaction, Knob, Place

KNOB = Knob(
    id="gpu_memory_utilization",
    title="share of memory that the engine plans with",
    does=(
        "On a GB10 it is a share of all of the one pool that CPU and GPU have. It is what the engine plans with, "
        "not a limit that holds it: profiling and graph capture may take more, and the host freezes when the pool "
        "is empty."
    ),
    places=(
        Place(kind="flag", engine="vllm", name="--gpu-memory-utilization"),
        Place(kind="recipe", engine="vllm", name="gpu_memory_utilization"),
        Place(kind="flag", engine="sglang", name="--mem-fraction-static"),
    ),
    legal="a share above 0 and below 1; defaults differ by version (0.92 in vLLM 0.33, 0.9 before)",
    least=0,
    most=1,
    takes="restart",
    measure=("output_tok_s", "kv_use_peak", "preemptions"),
    raises_memory=True,
    interactions=(
        Interaction(other="kv_cache_memory_bytes", what="where that is given, this counts for nothing"),
        Interaction(other="max_model_len", what="one request at full length has to fit into the KV pool"),
    ),
    effects=(
        Effect(
            what=("0.70 drove the machine to 112 GiB in use while profiling, against 83 planned; power cycle"),
            conditions="one GB10, vLLM start",
            source="https://github.com/vllm-project/vllm/issues/46307",
            measured=True,
        ),
        Effect(
            what=("0.87 never boots: 101 to 102 of 121.7 GiB are free, without a desktop and with caches dropped"),
            conditions="two GB10 machines",
            source="https://github.com/MiaAI-Lab/GLM-5.3-Flash-EXL3-2x-DGX-Sparks/issues/47",
            measured=True,
        ),
        Effect(
            what="0.85 to 0.95 froze hosts; 0.5 to 0.7 held",
            conditions="SGLang on GB10",
            source="https://github.com/sgl-project/sglang/issues/35860",
            measured=True,
        ),
    ),
    source=(
        "vLLM 0.33, utils/mem_utils.py (from 0.24 it asks for MemAvailable on such machines); SGLang server arguments"
    ),
)
