"""The GPU of a GB10 as nvidia-smi prints it: no memory figure, no power limit, idle clocks that look healthy.

Source: nvidia-smi of DGX Sparks with drivers 580.95 and 580.159 in public reports (fields ``[N/A]``).
"""

__all__ = ["gpu_tree"]

from sparktune.host.facts.gpu import SOURCE
from sparktune.host.lab.tree import NodeTree
from sparktune.model.reads import ReadCommand

_QUERY = "--query-gpu=index,name"
_REASONS = "--query-gpu=index,clocks_event_reasons"
_PROCESSES = "--query-compute-apps"


def gpu_tree(*, driver: str, pid: int, memory_mib: int) -> NodeTree:
    """Return an idle GPU whose memory one engine process holds."""
    row = f"0, NVIDIA GB10, 0000000F:01:00.0, {driver}, 9A.0B.18.00.00, P8, 44, 0, 9.62, [N/A], 2411, 3003, [N/A]\n"
    printed = {
        _QUERY: row,
        _REASONS: "0, 0x0000000000000001\n",
        _PROCESSES: f"{pid}, VLLM::EngineCore, {memory_mib}\n",
    }
    commands = {
        read.argv: text
        for read in SOURCE.reads
        if isinstance(read, ReadCommand)
        for beginning, text in printed.items()
        if read.argv[1].startswith(beginning)
    }
    return NodeTree(files={"/sys/module/nvidia/version": f"{driver}\n"}, commands=commands)
