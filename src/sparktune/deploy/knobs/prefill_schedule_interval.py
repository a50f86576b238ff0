"""Steps that only decode between two prefills."""

__all__ = ["KNOB"]

from sparktune.model.knob import Interaction, Knob, Place

KNOB = Knob(
    id="prefill_schedule_interval",
    title="steps of decoding between prefills",
    does="After a step with a prefill, this many steps only decode.",
    places=(Place(kind="flag", engine="vllm", name="--prefill-schedule-interval", versions="newer versions only"),),
    legal="a whole number from 0",
    least=0,
    takes="restart",
    measure=("decode_during_tok_s", "longest_stall_s", "ttft_max_s"),
    whole=True,
    interactions=(Interaction(other="long_prefill_token_threshold", what="another way to share steps"),),
    source="vLLM 0.33, config/scheduler.py",
)
