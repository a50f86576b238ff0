"""A llama.cpp program as the client of RPC servers over RDMA: it polls while it waits for them."""

__all__ = ["POLLER"]

import re

from sparktune.model.place import KnownPoller

POLLER = KnownPoller(
    id="llama-rpc-client",
    title="llama.cpp as client of an RPC server over RDMA",
    process=re.compile(r"(?:^|/)llama-(?:server|cli|bench)\b.* --rpc\b"),
    needs=("uverbs", "libibverbs"),
    why="the waiting client polls its completion queue as the server does; it sends the work, so it is not moved alone",
    fix="update llama.cpp on both nodes: newer builds sleep after 100 ms without work",
    source="https://github.com/ggml-org/llama.cpp/pull/20590; ggml/src/ggml-rpc/transport.cpp",
    placement=False,
)
