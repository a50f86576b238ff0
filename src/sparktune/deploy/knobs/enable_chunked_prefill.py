"""Whether prompts are computed in pieces."""

__all__ = ["KNOB"]

from sparktune.model.knob import Interaction, Knob, Place

KNOB = Knob(
    id="enable_chunked_prefill",
    title="compute prompts in pieces",
    does="Pieces share steps with those who are reading. On by default in V1.",
    places=(Place(kind="flag", engine="vllm", name="--enable-chunked-prefill"),),
    legal="given, or --no-enable-chunked-prefill",
    choices=("on", "off"),
    takes="restart",
    measure=("decode_during_tok_s", "ttft_s"),
    interactions=(Interaction(other="max_num_batched_tokens", what="the size of a piece"),),
    source="vLLM 0.33, config/scheduler.py",
)
