"""vLLM's worker: its threads spin on shared memory between steps, and they do the work of each."""

__all__ = ["POLLER"]

import re

from sparktune.model.place import KnownPoller

POLLER = KnownPoller(
    id="vllm-worker",
    title="vLLM's worker",
    process=re.compile(r"^(?:VLLM::Worker|ray::RayWorkerW)"),
    why="it runs the model, and spins on shared memory in between: moving it may cost tokens per second",
    fix="shorten the spin of shm_broadcast to 2 ms: VLLM_SHM_BROADCAST_BUSY_LOOP_S=0.002, only in builds that read it "
    "(an open change of vLLM); compare with sparktune ab, reports contradict each other",
    source="https://github.com/vllm-project/vllm/pull/52814; vllm/distributed/device_communicators/shm_broadcast.py",
    placement=False,
    computes=True,
)
