"""How readily pages are swapped out."""

__all__ = ["KNOB"]

from sparktune.model.knob import Interaction, Knob, Place

KNOB = Knob(
    id="swappiness",
    title="readiness to swap",
    does="It weighs swapping against dropping file pages; it does not forbid swapping.",
    places=(Place(kind="host", name="vm.swappiness"),),
    legal="0 to 200; 60 by default",
    least=0,
    most=200,
    takes="live",
    measure=("step_latency_s",),
    whole=True,
    interactions=(Interaction(other="vfs_cache_pressure", what="the other weight"),),
    source="Documentation/admin-guide/sysctl/vm.rst",
)
