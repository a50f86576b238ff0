"""How large a container's shared memory may grow."""

__all__ = ["KNOB"]

from sparktune.model.knob import Effect, Knob, Place

KNOB = Knob(
    id="shm_size",
    title="shared memory of a container",
    does="On a machine with one pool it is taken from the model's memory as it is used.",
    places=(
        Place(kind="compose", name="shm_size"),
        Place(kind="recipe", name="executor_config.shm_size"),
    ),
    legal="a size (32g); host IPC needs none",
    takes="restart",
    measure=("none",),
    effects=(
        Effect(
            what="64 GB suspected in a case of hard power-off",
            conditions="two DGX Sparks",
            source=(
                "https://github.com/tonyd2wild/DeepSeek-v4-Flash-Vision-Exp-DSpark-1M-NVFP4-KV-2x-DGX-Spark/issues/31"
            ),
            measured=False,
        ),
    ),
    source="Docker, docker run --shm-size",
)
