"""An SGLang that decodes outside of CUDA graphs under load."""

__all__ = ["RULE"]

from collections.abc import Iterator

from sparktune.logs.rules._shared import at, log_rule
from sparktune.model.finding import Finding, Severity
from sparktune.model.log import LogView, ReadLog


def _judge(view: LogView) -> Iterator[Finding]:
    for log in view.logs:
        largest = log.fact("graph_largest_batch")
        captured = largest.value if largest is not None and isinstance(largest.value, int) else None
        outside = [one for one in log.all_of("stats_without_graph") if isinstance(one.value, int) and one.value > 0]
        if not outside:
            yield from _too_small(log, captured)
            continue
        most = max(one.value for one in outside if isinstance(one.value, int))
        known = f"; the largest batch with a graph is {captured}" if captured is not None else ""
        small = captured is None or most > captured
        yield at(
            log,
            outside[0].line,
            Severity.WARNING,
            f"batches of up to {most} requests decoded outside of CUDA graphs{known}",
            f"set --cuda-graph-max-bs to {most} or more"
            if small
            else "that batch has a graph: look whether graphs are switched off (--disable-cuda-graph), or a feature "
            "does without them",
        )


def _too_small(log: ReadLog, captured: int | None) -> Iterator[Finding]:
    """Yield that more requests are admitted than have a graph, where no line shows that they came."""
    running = log.fact("max_running")
    if captured is None or running is None or not isinstance(running.value, int) or running.value <= captured:
        return
    yield at(
        log,
        running.line,
        Severity.INFO,
        f"{running.value} requests may run, and the largest batch with a graph is {captured}",
        f"set --cuda-graph-max-bs to {running.value} if so many come; 'cuda graph: False' in a decode line shows it",
    )


RULE = log_rule(
    "outside-graphs",
    title="Batches decode outside of CUDA graphs",
    why="A report of a GB10 gained 6.5 % with graphs that cover its concurrency.",
    source="SGLang 0.5.23, scheduler_metrics_mixin.py; https://github.com/sgl-project/sglang issue 35860",
    judge=_judge,
)
