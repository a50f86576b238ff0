"""The practice cluster: two nodes, the faults planted in them, and what ``doctor`` is to say of each.

Every fault is one that people reported from real machines; the findings' own pages name the sources.
"""

__all__ = ["FAULTS", "Fault", "lab_nodes", "readme"]

from dataclasses import dataclass, replace
from typing import Final

from sparktune.host.lab.engine import Engine
from sparktune.host.lab.fabric import rails
from sparktune.host.lab.node import LabNode, node_tree
from sparktune.host.lab.system import System
from sparktune.host.lab.tree import NodeTree

_HCA: Final = {"NCCL_IB_HCA": "rocep1s0f1", "NCCL_SOCKET_IFNAME": "enp1s0f1np1", "NCCL_IB_GID_INDEX": "3"}
_NO_MEMORY: Final = (
    "2026-01-05T10:21:0{second}+0000 spark2 kernel: NVRM: nvCheckOkFailedNoLog: Check failed: Out of memory "
    "[NV_ERR_NO_MEMORY] (0x00000051) returned from _memdescAllocInternal(pMemDesc) @ mem_desc.c:1359\n"
)
_SMALLER_MTU: Final = 1500


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """``text`` is for the person who practises; ``findings`` are rule and node (None for the cluster)."""

    text: str
    findings: tuple[tuple[str, str | None], ...]


FAULTS: Final = (
    Fault(
        text="spark1 pins NCCL_IB_GID_INDEX=3, but its RoCE v2 address is at index 4 now; on spark2 it is at 3",
        findings=(("gid-index-empty", "spark1"), ("gid-index-differs", None)),
    ),
    Fault(
        text="spark1 has CPUAffinity=0-4 10-14 in a systemd drop-in, and its container no cpuset",
        findings=(("container-on-slow-cores", "spark1"),),
    ),
    Fault(
        text="the second rail of spark2 (enP2p1s0f1np1) has MTU 1500 since a firmware update; its file says 9000",
        findings=(("mtu-mismatch", None), ("mtu-not-persistent", "spark2")),
    ),
    Fault(
        text="spark2 was upgraded alone to a 7.0 kernel on which CmaFree is above CmaTotal",
        findings=(("cma-exceeds-total", "spark2"), ("nodes-differ", None)),
    ),
    Fault(
        text="the GPU driver of spark2 could not get memory three times in this boot, with 54 GiB available",
        findings=(("driver-no-memory", "spark2"),),
    ),
    Fault(
        text="earlyoom runs on spark1 with arguments that prefer vllm",
        findings=(("earlyoom", "spark1"),),
    ),
    Fault(
        text="no fault, but true of every GB10: its clusters mix core types",
        findings=(("cores-mixed", "spark1"), ("cores-mixed", "spark2")),
    ),
)


def lab_nodes() -> dict[str, NodeTree]:
    """Return the two nodes by name."""
    moved = tuple(replace(rail, gid=4) if rail.address else rail for rail in rails(11))
    smaller = tuple(replace(rail, mtu=_SMALLER_MTU) if rail.rdma == "roceP2p1s0f1" else rail for rail in rails(12))
    first = LabNode(
        last=11,
        fabric=moved,
        engine=Engine(allowed="0-4,10-14", cpuset="", environment=_HCA),
        system=System(affinity="0-4 10-14", earlyoom="-m 2 -s 80 --prefer (vllm|ray)"),
    )
    second = LabNode(
        last=12,
        fabric=smaller,
        engine=Engine(environment=_HCA),
        system=System(
            kernel="7.0.0-1019-nvidia", log="".join(_NO_MEMORY.format(second=second) for second in (7, 7, 9))
        ),
        cma_free_kib=940_604,
    )
    return {"spark1": node_tree(first), "spark2": node_tree(second)}


def readme() -> str:
    """Return what lies beside the nodes, in Markdown."""
    rows = [f"| {fault.text} | {', '.join(_shown(fault))} |" for fault in FAULTS]
    return "\n".join(
        (
            "# A practice cluster",
            "",
            "Two made-up nodes like a DGX Spark (GB10): each folder holds the files and the outputs of commands",
            "that sparktune reads on a real one. Nothing here was captured from a machine. Commands take them so:",
            "",
            "    sparktune doctor --nodes ./spark1,./spark2",
            "",
            "## What is planted",
            "",
            "| what | found as |",
            "|---|---|",
            *rows,
            "",
            "Mend one of them (edit the file that the finding names, or the one that it reads) and ask again.",
            "",
            "## A service",
            "",
            "In `service` is a stand-in for an engine, with made-up timings and no model, that runs on this machine.",
            "Its `earned.yaml` says 2, its `service.env` says 1, and so does the process, once it is started:",
            "",
            "    cd service && ./serve.sh start && sparktune drift",
            "",
            "`two-agents.yaml` is the experiment that earns the value: sparktune ab two-agents.yaml --accept",
            "The whole story is a guide of the documentation: docs/guides/lab-story.md",
            "",
        )
    )


def _shown(fault: Fault) -> list[str]:
    return [f"`{rule}` ({node or 'both nodes'})" for rule, node in fault.findings]
