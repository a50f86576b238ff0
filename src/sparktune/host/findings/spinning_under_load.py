"""vLLM's workers at a whole core each under load: its wait loop spins for a second, which a setting shortens."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.engines import role_of
from sparktune.host.findings._shared import Found, node_rule
from sparktune.host.thread_load import ThreadLoadFacts
from sparktune.host.words import join
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts
from sparktune.units import format_percent

_BUSY = 0.9
_FEWEST = 2


def _judge(node: NodeFacts) -> Iterator[Found]:
    for sample in (node.get(ThreadLoadFacts) or ThreadLoadFacts()).samples:
        if sample.idle is not False:
            continue
        busy = [one for one in sample.threads if one.share >= _BUSY and _is_vllm(one.process)]
        if len(busy) < _FEWEST:
            continue
        threads = join(f"{one.name} (tid {one.tid}) {format_percent(one.share)} on CPU {one.core}" for one in busy)
        yield Found(
            severity=Severity.INFO,
            evidence=f"{len(busy)} threads of vLLM take a core each while requests run: {threads}",
            hint="do not move them: that may cost tokens per second. With tensor parallelism vLLM waits by spinning "
            "(SpinCondition.busy_loop_s, 1 s); a shorter loop, where the version has VLLM_SHM_BROADCAST_BUSY_LOOP_S, "
            "is to be tried by an A/B test: reports disagree about its effect",
            file=sample.file,
        )


def _is_vllm(process: str) -> bool:
    role = role_of(process, ())
    return role is not None and role.engine == "vllm"


FINDING = node_rule(
    "spinning-under-load",
    title="vLLM's threads spin while requests run",
    why="Several performance cores at 90 to 100 % during decode warm the chip; they may be at work or waiting, and "
    "counters cannot tell under load.",
    source="https://github.com/vllm-project/vllm/pull/51950; "
    "https://github.com/MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark pulls 71, 74, issue 79",
    judge=_judge,
)
