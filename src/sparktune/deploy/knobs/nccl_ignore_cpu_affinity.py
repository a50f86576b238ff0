"""Whether NCCL's threads keep to the process' CPUs."""

__all__ = ["KNOB"]

from sparktune.model.knob import Interaction, Knob, Place

KNOB = Knob(
    id="nccl_ignore_cpu_affinity",
    title="NCCL's threads leave the process' CPUs",
    does=("With 1 NCCL places its threads by the device and passes over an inherited mask; a cpuset still binds them."),
    places=(Place(kind="env", name="NCCL_IGNORE_CPU_AFFINITY"),),
    legal="0 or 1",
    choices=("0", "1"),
    takes="restart",
    measure=("decode_tok_s",),
    interactions=(
        Interaction(other="cpuset", what="binds them all the same"),
        Interaction(other="thread_affinity", what="does not"),
    ),
    source="NCCL environment documentation; sparkrun 0.4 sets 1 on multi-node RoCE",
)
