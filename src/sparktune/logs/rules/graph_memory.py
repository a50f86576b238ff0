"""The memory of CUDA graphs is not counted when the KV cache is sized."""

__all__ = ["RULE"]

from collections.abc import Iterator

from sparktune.logs.rules._shared import at, log_rule
from sparktune.model.finding import Finding, Severity
from sparktune.model.log import LogView


def _judge(view: LogView) -> Iterator[Finding]:
    for log in view.logs:
        before, after, taken = log.fact("graph_memory_from"), log.fact("graph_memory_to"), log.fact("graph_gib")
        if before is None or after is None:
            continue
        took = f"; graphs took {taken.value} GiB" if taken is not None else ""
        yield at(
            log,
            before.line,
            Severity.WARNING,
            f"graph memory is not counted: the share {before.value} is worth {after.value} with it{took}",
            "take VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS=0 out and set gpu_memory_utilization to "
            f"{after.value} for the same pool; on shared memory what is not counted comes out of the host's",
        )


RULE = log_rule(
    "graph-memory-not-counted",
    title="The memory of CUDA graphs is not counted",
    why="The pool is sized as if graphs took nothing; they are captured afterwards, from what is left.",
    source="vLLM 0.21, v1/worker/gpu_worker.py",
    judge=_judge,
)
