"""How much host memory llama.cpp keeps prompts in."""

__all__ = ["KNOB"]

from sparktune.model.knob import Knob, Place

KNOB = Knob(
    id="cache_ram",
    title="memory for kept prompts",
    does="On a machine with one pool it is taken from what the model has.",
    places=(
        Place(kind="flag", engine="llamacpp", name="--cache-ram"),
        Place(kind="env", engine="llamacpp", name="LLAMA_ARG_CACHE_RAM"),
    ),
    legal="MiB; 8192 by default, 0 is off, -1 without a limit",
    least=-1,
    takes="restart",
    measure=("turn_ttft_s",),
    raises_memory=True,
    whole=True,
    source="llama.cpp server README",
)
