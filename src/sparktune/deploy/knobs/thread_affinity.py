"""On which cores single threads may run."""

__all__ = ["KNOB"]

from sparktune.model.knob import Effect, Interaction, Knob, Place

KNOB = Knob(
    id="thread_affinity",
    title="cores of single threads",
    does=(
        "A thread that only polls can be moved to an efficiency core; one that computes is slower there. A mask is "
        "lost when the process starts again."
    ),
    places=(Place(kind="host", name="sched_setaffinity"),),
    legal="a CPU list inside what the cpuset leaves",
    takes="live",
    measure=("decode_tok_s", "temperature"),
    several=True,
    interactions=(Interaction(other="cpuset", what="bounds it"),),
    effects=(
        Effect(
            what="5 degrees cooler at the same 12 tok/s",
            conditions="two GB10 machines, idle llama.cpp RDMA server of an older build",
            source="a public forum article of an owner of two GB10 machines",
            measured=True,
        ),
    ),
    source="sched_setaffinity(2)",
)
