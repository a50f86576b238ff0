"""Which address of an RDMA device NCCL uses."""

__all__ = ["KNOB"]

from sparktune.model.knob import Effect, Interaction, Knob, Place

KNOB = Knob(
    id="nccl_ib_gid_index",
    title="GID index of NCCL",
    does=(
        "Indices differ between machines and move with interface events. Left out, NCCL (2.21 and newer) finds the "
        "RoCE v2 one with an IPv4 address itself. An empty text is no absence: it is 0."
    ),
    places=(Place(kind="env", name="NCCL_IB_GID_INDEX"),),
    legal="leave it out",
    least=0,
    takes="restart",
    measure=("none",),
    whole=True,
    interactions=(Interaction(other="nccl_ib_hca", what="with several devices one index cannot fit all"),),
    effects=(
        Effect(
            what="it moved from 3 to 4 within 30 minutes",
            conditions="two DGX Sparks, both devices up",
            source=(
                "https://github.com/tonyd2wild/DeepSeek-v4-Flash-Vision-Exp-DSpark-1M-NVFP4-KV-2x-DGX-Spark/pull/40"
            ),
            measured=True,
        ),
    ),
    source="NCCL environment documentation",
)
