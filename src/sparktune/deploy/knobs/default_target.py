"""Whether the machine boots into a desktop."""

__all__ = ["KNOB"]

from sparktune.model.knob import Effect, Knob, Place

KNOB = Knob(
    id="default_target",
    title="boot target",
    does="Without a desktop there is more memory and nothing else that draws.",
    places=(Place(kind="host", name="default.target"),),
    legal="multi-user.target or graphical.target",
    choices=("multi-user.target", "graphical.target"),
    takes="reboot",
    measure=("none",),
    effects=(
        Effect(
            what="a desktop froze under load",
            conditions="one GB10",
            source="https://sovgrid.org/blog/fixes-vllm-moe-throughput-sm121-desktop-freeze/",
            measured=False,
        ),
    ),
    source="systemctl(1), set-default",
)
