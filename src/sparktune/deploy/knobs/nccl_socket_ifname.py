"""Over which interface ranks meet."""

__all__ = ["KNOB"]

from sparktune.model.knob import Interaction, Knob, Place

KNOB = Knob(
    id="nccl_socket_ifname",
    title="interface for meeting",
    does=(
        "NCCL, Gloo and tensor-parallel code each have a variable; images set some of them to names that another "
        "machine does not have."
    ),
    places=(
        Place(kind="env", name="NCCL_SOCKET_IFNAME"),
        Place(kind="env", name="GLOO_SOCKET_IFNAME"),
        Place(kind="env", name="TP_SOCKET_IFNAME"),
    ),
    legal="an interface of this machine with an address in the fabric's network",
    takes="restart",
    measure=("none",),
    several=True,
    interactions=(Interaction(other="nccl_ib_hca", what="the data goes there"),),
    source="NCCL environment documentation; PyTorch distributed",
)
