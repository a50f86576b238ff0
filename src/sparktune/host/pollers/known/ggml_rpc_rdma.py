"""llama.cpp's RPC server over RDMA: older builds poll their completion queue for as long as a client is connected."""

__all__ = ["POLLER"]

import re

from sparktune.model.place import KnownPoller

POLLER = KnownPoller(
    id="ggml-rpc-rdma",
    title="llama.cpp RPC server polling RDMA",
    process=re.compile(r"(?:^|/)(?:ggml-)?rpc-server\b"),
    thread=re.compile(r"^(?!cuda-|nv)"),
    needs=("uverbs", "libibverbs"),
    why="builds before the sleep poll the completion queue without end; newer ones sleep after 100 ms without work",
    fix="update llama.cpp: newer RPC servers sleep after 100 ms without work",
    source="https://github.com/ggml-org/llama.cpp/pull/20590; ggml/src/ggml-rpc/transport.cpp",
)
