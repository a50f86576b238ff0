"""Over which RDMA devices NCCL talks."""

__all__ = ["KNOB"]

from sparktune.model.knob import Effect, Interaction, Knob, Place

KNOB = Knob(
    id="nccl_ib_hca",
    title="RDMA devices of NCCL",
    does=(
        "A device without an IPv4 address in the fabric's network cannot be used, though its port is active. A "
        "GB10's port shows as two devices; both together carry what the cable can."
    ),
    places=(Place(kind="env", name="NCCL_IB_HCA"),),
    legal="names, by the selector grammar of NCCL (= exact, ^ all but)",
    takes="restart",
    measure=("prefill_tok_s", "ttft_s"),
    several=True,
    interactions=(
        Interaction(other="nccl_ib_gid_index", what="one index for all of them"),
        Interaction(other="nccl_socket_ifname", what="the interface for meeting"),
    ),
    effects=(
        Effect(
            what="109 to 196 Gb/s with both devices of a port; decode 0.15 % faster",
            conditions="two DGX Sparks",
            source="https://github.com/bytebunkerlabs/dgx-spark-serve",
            measured=True,
        ),
    ),
    source="NCCL environment documentation",
)
