"""Whether the engine's own way to add up over GPUs is left out."""

__all__ = ["KNOB"]

from sparktune.model.knob import Interaction, Knob, Place

KNOB = Knob(
    id="disable_custom_all_reduce",
    title="leave out the engine's own all-reduce",
    does="The engine's own kernels are for GPUs inside one machine; between Sparks NCCL does it.",
    places=(Place(kind="flag", engine="vllm", name="--disable-custom-all-reduce"),),
    legal="given or not",
    choices=("on", "off"),
    takes="restart",
    measure=("decode_tok_s",),
    interactions=(Interaction(other="tensor_parallel_size", what="matters where it is above 1"),),
    source="vLLM 0.33, config/parallel.py",
)
