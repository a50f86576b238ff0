"""Whether a prompt is begun only when all of it fits."""

__all__ = ["KNOB"]

from sparktune.model.knob import Interaction, Knob, Place

KNOB = Knob(
    id="scheduler_reserve_full_isl",
    title="begin a prompt only when all of it fits",
    does=(
        "With it a request waits until the KV pool has room for its whole prompt; without, it begins earlier and "
        "may be put back."
    ),
    places=(Place(kind="flag", engine="vllm", name="--scheduler-reserve-full-isl"),),
    legal="given, or --no-scheduler-reserve-full-isl",
    choices=("on", "off"),
    takes="restart",
    measure=("ttft_max_s", "preemptions"),
    interactions=(Interaction(other="max_num_seqs", what="how many may be begun at all"),),
    source="vLLM 0.33, config/scheduler.py",
)
