"""Which kernels compute a mixture of experts."""

__all__ = ["KNOB"]

from sparktune.model.knob import Effect, Knob, Place

KNOB = Knob(
    id="moe_backend",
    title="kernels of experts",
    does="The label of a checkpoint does not say which kernels run; the boot log does.",
    places=(Place(kind="flag", engine="vllm", name="--moe-backend"),),
    legal="a name that the version knows",
    takes="restart",
    measure=("decode_tok_s", "prefill_tok_s"),
    quality=True,
    effects=(
        Effect(
            what="a variable that asked for other kernels had no effect: the quantisation decided",
            conditions="GB10",
            source="https://github.com/Blackwellboy/model-serving-minefield",
            measured=False,
        ),
    ),
    source="vLLM 0.33, boot line 'Using ... MoE backend'",
)
