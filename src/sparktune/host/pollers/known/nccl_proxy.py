"""NCCL's proxy threads: they wait with sched_yield while operations are pending, by design."""

__all__ = ["POLLER"]

import re

from sparktune.model.place import KnownPoller

POLLER = KnownPoller(
    id="nccl-proxy",
    title="NCCL's proxy thread",
    process=re.compile(""),
    thread=re.compile(r"^NCCL (?:Progress|GIN Progre|Service)"),
    why="it hands data to the network and yields while operations are pending; a slow core may cost latency. NCCL "
    "names its threads only with NCCL_SET_THREAD_NAME=1; with NCCL_IGNORE_CPU_AFFINITY=1 it chooses its cores itself",
    fix="see whether a collective hangs: a proxy that yields while nothing runs has an operation pending",
    source="https://github.com/NVIDIA/nccl/issues/374; src/proxy.cc, src/debug.cc",
    placement=False,
)
