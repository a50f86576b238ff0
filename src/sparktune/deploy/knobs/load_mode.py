"""How llama.cpp reads the weights."""

__all__ = ["KNOB"]

from sparktune.model.knob import Effect, Knob, Place

KNOB = Knob(
    id="load_mode",
    title="how weights are read",
    does="Mapping the file into memory is slow on GB10; reading it is not.",
    places=(
        Place(kind="flag", engine="llamacpp", name="--load-mode", versions="newer builds"),
        Place(kind="flag", engine="llamacpp", name="--no-mmap", versions="older builds"),
        Place(kind="env", engine="llamacpp", name="LLAMA_ARG_NO_MMAP"),
    ),
    legal="auto, none, mmap, mlock, mmap+mlock, dio",
    choices=("auto", "none", "mmap", "mlock", "mmap+mlock", "dio"),
    takes="restart",
    measure=("ttft_s",),
    effects=(
        Effect(
            what="224 s to load with mmap, 22 s without",
            conditions="one GB10",
            source="https://github.com/ggml-org/llama.cpp/pull/27742",
            measured=True,
        ),
    ),
    source="llama.cpp server README",
)
