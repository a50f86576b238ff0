"""Which cores systemd and all that it starts may use."""

__all__ = ["KNOB"]

from sparktune.model.knob import Interaction, Knob, Place

KNOB = Knob(
    id="manager_affinity",
    title="cores of systemd",
    does=("Everything that systemd starts inherits it, dockerd and with it containers without a cpuset too."),
    places=(Place(kind="host", name="CPUAffinity"),),
    legal="a CPU list in a drop-in of system.conf",
    takes="reboot",
    measure=("ttft_s", "step_latency_s"),
    several=True,
    interactions=(Interaction(other="cpuset", what="a container needs one then"),),
    source="systemd-system.conf(5)",
)
