"""A cap of prompts in prefill that was never enforced."""

__all__ = ["KNOB"]

from sparktune.model.knob import Interaction, Knob, Place

KNOB = Knob(
    id="max_num_partial_prefills",
    title="prompts in prefill at once (without effect)",
    does=(
        "The V1 engine took the flag and enforced nothing; some versions refuse to start with it, 0.33 has it no "
        "more. Other knobs do what it was meant for."
    ),
    places=(
        Place(kind="flag", engine="vllm", name="--max-num-partial-prefills", versions="before 0.33"),
        Place(kind="flag", engine="vllm", name="--max-long-partial-prefills", versions="before 0.33"),
        Place(kind="recipe", engine="vllm", name="max_num_partial_prefills"),
    ),
    legal="leave it out",
    takes="restart",
    measure=("ttft_max_s", "decode_min_tok_s"),
    interactions=(
        Interaction(other="long_prefill_token_threshold", what="has an effect in V1"),
        Interaction(other="dspark_max_inflight_prefills", what="has an effect in patched images"),
    ),
    source="https://github.com/vllm-project/vllm/issues/49075 and /issues/39737",
)
