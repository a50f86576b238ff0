"""How long llama.cpp's CPU threads spin before they sleep."""

__all__ = ["KNOB"]

from sparktune.model.knob import Interaction, Knob, Place

KNOB = Knob(
    id="poll",
    title="spinning of CPU threads",
    does="Threads that spin answer sooner and heat a core.",
    places=(
        Place(kind="flag", engine="llamacpp", name="--poll"),
        Place(kind="flag", engine="llamacpp", name="--poll-batch"),
    ),
    legal="0 to 100; 0 sleeps at once",
    least=0,
    most=100,
    takes="restart",
    measure=("decode_tok_s",),
    whole=True,
    interactions=(Interaction(other="thread_affinity", what="which core is heated"),),
    source="llama.cpp common/arg.cpp",
)
