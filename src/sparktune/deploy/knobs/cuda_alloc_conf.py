"""How PyTorch takes memory."""

__all__ = ["KNOB"]

from sparktune.model.knob import Effect, Knob, Place

KNOB = Knob(
    id="cuda_alloc_conf",
    title="how PyTorch takes memory",
    does=("Segments that can grow leave fewer holes. Reports for and against it on GB10 contradict each other."),
    places=(Place(kind="env", name="PYTORCH_CUDA_ALLOC_CONF"),),
    legal="expandable_segments:True, expandable_segments:False and others of PyTorch's",
    takes="restart",
    measure=("output_tok_s",),
    several=True,
    effects=(
        Effect(
            what="driver messages of missing memory per boot 163 to 1 with expandable_segments:False",
            conditions="two DGX Sparks",
            source="https://github.com/Reederey87/dgx-spark-2x-deepseek-v4-flash",
            measured=True,
        ),
        Effect(
            what="the opposite advice",
            conditions="another set of versions",
            source="https://github.com/vllm-project/vllm/issues/55569",
            measured=False,
        ),
    ),
    source="PyTorch notes on CUDA memory",
)
