"""How much memory a container may pin."""

__all__ = ["KNOB"]

from sparktune.model.knob import Interaction, Knob, Place

KNOB = Knob(
    id="memlock",
    title="limit of pinned memory",
    does="RDMA pins memory; without the right to, NCCL falls back to sockets, in one line of its log.",
    places=(Place(kind="compose", name="ulimits.memlock"),),
    legal="-1 (without a limit) for RDMA",
    least=-1,
    takes="restart",
    measure=("prefill_tok_s", "ttft_s"),
    whole=True,
    interactions=(Interaction(other="nccl_ib_hca", what="which devices need it"),),
    source="NCCL environment documentation; getrlimit(2)",
)
