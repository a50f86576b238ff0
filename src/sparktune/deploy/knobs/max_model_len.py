"""The longest context that one request may have."""

__all__ = ["KNOB"]

from sparktune.model.knob import Effect, Interaction, Knob, Place

KNOB = Knob(
    id="max_model_len",
    title="longest context of a request, in tokens",
    does=(
        "Requests that are longer are refused. It changes what the boot log calls the size of the KV pool, so compare "
        "the GiB and the factor there, not tokens alone."
    ),
    places=(
        Place(kind="flag", engine="vllm", name="--max-model-len"),
        Place(kind="recipe", engine="vllm", name="max_model_len"),
        Place(kind="flag", engine="sglang", name="--context-length"),
        Place(kind="flag", engine="llamacpp", name="--ctx-size", versions="of all slots together, unless unified"),
        Place(kind="env", engine="llamacpp", name="LLAMA_ARG_CTX_SIZE"),
    ),
    legal="a whole number of tokens (384K and the like are understood by vLLM), auto, or what the model has",
    least=1,
    takes="restart",
    measure=("output_tok_s", "kv_use_peak", "preemptions"),
    raises_memory=True,
    whole=True,
    words=("auto",),
    interactions=(
        Interaction(other="max_num_seqs", what="all of them at full length need that many times this of the KV pool"),
    ),
    effects=(
        Effect(
            what="2.05M tokens (5.2x) of KV pool at 384K, 1.53M (3.1x) at 500K; the batched tokens differed as well",
            conditions="two GB10 machines, one boot each",
            source="a public forum article of an owner of two GB10 machines",
            measured=True,
        ),
    ),
    source="vLLM 0.33, config/model.py and v1/core/kv_cache_utils.py; llama.cpp server README",
)
