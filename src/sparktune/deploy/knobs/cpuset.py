"""On which cores a container may run."""

__all__ = ["KNOB"]

from sparktune.model.knob import Interaction, Knob, Place

KNOB = Knob(
    id="cpuset",
    title="cores of a container",
    does=(
        "A control group's list binds every thread, also those that set masks themselves. A container without one "
        "runs where its parent may: with a profile that moves the system to efficiency cores, that is there."
    ),
    places=(
        Place(kind="compose", name="cpuset"),
        Place(kind="host", name="AllowedCPUs"),
        Place(kind="flag", name="--cpuset-cpus", versions="docker run, docker update; sparkrun --executor-args"),
    ),
    legal="a CPU list (5-9,15-19 are the performance cores of a GB10)",
    takes="live",
    measure=("decode_tok_s", "ttft_s", "step_latency_s"),
    several=True,
    interactions=(
        Interaction(other="irq_affinity", what="what else runs on those cores"),
        Interaction(other="manager_affinity", what="what a container without one inherits"),
    ),
    source="Docker; cgroup-v2.rst; systemd.resource-control(5)",
)
