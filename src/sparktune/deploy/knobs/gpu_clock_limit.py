"""The highest clock of the GPU."""

__all__ = ["KNOB"]

from sparktune.model.knob import Effect, Knob, Place

KNOB = Knob(
    id="gpu_clock_limit",
    title="highest GPU clock",
    does="A lower one is cooler, steadier and slower. It is gone after a reboot.",
    places=(Place(kind="host", name="nvidia-smi --lock-gpu-clocks"),),
    legal="MHz, inside what nvidia-smi says",
    least=0,
    takes="live",
    measure=("decode_tok_s", "prefill_tok_s", "temperature"),
    effects=(
        Effect(
            what="2200 MHz costs 15 to 35 % of decoding",
            conditions="one DGX Spark",
            source="https://github.com/MiaAI-Lab/Qwen3.8-Flash-Next-Single-DGX-Spark/issues/38",
            measured=True,
        ),
    ),
    source="nvidia-smi manual",
)
