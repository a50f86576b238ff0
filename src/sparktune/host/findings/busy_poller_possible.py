"""A known poller's thread that was running on a fast core when the node was asked: a reason to look twice."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.facts.cpu import CpuFacts
from sparktune.host.facts.processes import ProcessFacts
from sparktune.host.findings._shared import Found, node_rule
from sparktune.host.words import join
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts

_KNOWN = ("rpc-server", "engine-core", "worker")


def _judge(node: NodeFacts) -> Iterator[Found]:
    cpu = node.get(CpuFacts)
    if cpu is None or cpu.split.value is None:
        return
    fast = cpu.split.value.performance
    for process in (node.get(ProcessFacts) or ProcessFacts()).processes:
        running = [one for one in process.threads if one.state.value == "R" and one.last_core.value in fast]
        if not running or not any(word in process.role for word in _KNOWN):
            continue
        threads = join(f"{one.name} (tid {one.tid}) on CPU {one.last_core.value}" for one in running)
        yield Found(
            severity=Severity.INFO,
            evidence=f"process {process.pid} ({process.engine} {process.role}) was running on performance cores when "
            f"asked: {threads}",
            hint=f"one look cannot tell polling from work: while no request runs, look twice with top -H -p "
            f"{process.pid}; what is busy both times polls. {_cure(process.role)}",
        )


def _cure(role: str) -> str:
    if "rpc" in role:
        return "First update llama.cpp: newer servers sleep when idle; else move that thread alone"
    return "Do not move threads that are busy under load: that may cost tokens per second"


FINDING = node_rule(
    "busy-poller-possible",
    title="A thread may be polling on a fast core",
    why="Older llama.cpp RPC servers and vLLM's shared-memory broadcast spin without work; one such thread heats the "
    "chip and holds a performance core. A process's average over all cores hides it.",
    source="https://github.com/ggml-org/llama.cpp/pull/20590; https://github.com/vllm-project/vllm/pull/51950",
    judge=_judge,
)
