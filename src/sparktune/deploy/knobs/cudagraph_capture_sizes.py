"""The captured steps one by one."""

__all__ = ["KNOB"]

from sparktune.model.knob import Effect, Interaction, Knob, Place

KNOB = Knob(
    id="cudagraph_capture_sizes",
    title="captured decode steps, listed",
    does=(
        "The exact sizes, in tokens, that are captured; a step is padded to the next one. With drafts, multiples "
        "of 1 + draft tokens lose nothing to padding."
    ),
    places=(
        Place(kind="flag", engine="vllm", name="--cudagraph-capture-sizes"),
        Place(kind="recipe", engine="vllm", name="cudagraph_capture_sizes"),
    ),
    legal="whole numbers of tokens; sizes above what the sequences can need are dropped",
    takes="restart",
    measure=("decode_total_tok_s", "decode_min_tok_s"),
    raises_memory=True,
    several=True,
    interactions=(
        Interaction(other="max_cudagraph_capture_size", what="the largest of them"),
        Interaction(other="num_speculative_tokens", what="multiples of 1 + that"),
        Interaction(other="max_num_seqs", what="the largest should cover it"),
    ),
    effects=(
        Effect(
            what="65.3 to 33.7 tok/s where batches of 5 and 6 were not covered by 1, 2 and 4",
            conditions="one GB10",
            source="https://github.com/vllm-project/vllm/pull/46329",
            measured=True,
        ),
    ),
    source="vLLM 0.33, config/compilation.py",
)
