"""vLLM's engine core: it spins on the shared-memory queue of its workers for a second after every message."""

__all__ = ["POLLER"]

import re

from sparktune.model.place import KnownPoller

POLLER = KnownPoller(
    id="vllm-engine-core",
    title="vLLM's engine core spinning on shared memory",
    process=re.compile(r"^VLLM::EngineCor"),
    why="with several workers a reader of shm_broadcast spins for 1 s after the last message before it sleeps; it "
    "schedules every step, so it is not moved alone",
    fix="shorten that spin to 2 ms: VLLM_SHM_BROADCAST_BUSY_LOOP_S=0.002, only in builds that read it (an open change "
    "of vLLM); compare with sparktune ab, reports contradict each other",
    source="https://github.com/vllm-project/vllm/pull/52814; vllm/distributed/device_communicators/shm_broadcast.py",
    placement=False,
)
