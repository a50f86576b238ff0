"""How readily names and inodes are forgotten."""

__all__ = ["KNOB"]

from sparktune.model.knob import Interaction, Knob, Place

KNOB = Knob(
    id="vfs_cache_pressure",
    title="readiness to forget names of files",
    does="Above 100 the kernel reclaims them sooner.",
    places=(Place(kind="host", name="vm.vfs_cache_pressure"),),
    legal="0 upwards; 100 by default",
    least=0,
    takes="live",
    measure=("step_latency_s",),
    whole=True,
    interactions=(Interaction(other="swappiness", what="the other weight"),),
    source="Documentation/admin-guide/sysctl/vm.rst",
)
