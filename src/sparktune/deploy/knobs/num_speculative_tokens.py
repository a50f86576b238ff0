"""How many tokens the drafter proposes per step."""

__all__ = ["KNOB"]

from sparktune.model.knob import Effect, Interaction, Knob, Place

KNOB = Knob(
    id="num_speculative_tokens",
    title="draft tokens per step",
    does=(
        "The drafter proposes this many tokens, the model verifies them in one step. One more pays only when the share "
        "of steps in which it is accepted is larger than what it makes each step slower."
    ),
    places=(
        Place(kind="flag", engine="vllm", name="--speculative-config.num_speculative_tokens"),
        Place(kind="recipe", engine="vllm", name="speculative_config.num_speculative_tokens"),
        Place(kind="flag", engine="sglang", name="--speculative-num-steps"),
        Place(kind="flag", engine="llamacpp", name="--spec-draft-n-max", versions="was --draft-max"),
    ),
    legal="a whole number from 1; which ones a model takes is the model's own (a start that fails is an answer)",
    least=1,
    takes="restart",
    measure=("decode_tok_s", "acceptance_length", "output_tok_s"),
    whole=True,
    interactions=(
        Interaction(
            other="max_cudagraph_capture_size", what="the captured tokens cover fewer sequences with more drafts"
        ),
        Interaction(other="max_num_seqs", what="with many streams the verifying costs more than it saves"),
    ),
    effects=(
        Effect(
            what="8 streams 210 to 304 tok/s with 2 in place of 4, one stream without a difference",
            conditions="gemma4 on DGX Spark, vLLM",
            source="https://github.com/eugr/spark-vllm-docker/issues/343",
            measured=True,
        ),
    ),
    source="vLLM 0.33, config/speculative.py; the engines' per-position acceptance counters",
)
