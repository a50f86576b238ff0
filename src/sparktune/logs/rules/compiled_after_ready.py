"""Kernels that are compiled after the server says that it is ready."""

__all__ = ["RULE"]

from collections.abc import Iterator

from sparktune.logs.rules._shared import at, log_rule
from sparktune.model.finding import Finding, Severity
from sparktune.model.log import LogFact, LogView
from sparktune.units import format_duration


def _judge(view: LogView) -> Iterator[Finding]:
    for log in view.logs:
        facts, ready = log.all_of("jit_compiled"), log.fact("ready")
        if not facts:
            continue
        names = dict.fromkeys(str(fact.value) for fact in facts)
        yield at(
            log,
            facts[0].line,
            Severity.WARNING,
            f"compiled during inference{_since(ready, facts[0])}: {', '.join(list(names)[:6])}"
            + (f" and {len(names) - 6} more" if len(names) > 6 else ""),  # noqa: PLR2004 - as many as are named
            "requests at that time waited for it: do not count them in a measurement; warm up with the lengths, the "
            "concurrency and the sampling (temperature above 0 too) that are measured",
        )


def _since(ready: LogFact | None, first: LogFact) -> str:
    if ready is None or ready.line.time_s is None or first.line.time_s is None:
        return ""
    apart = first.line.time_s - ready.line.time_s
    return f", {format_duration(apart)} after ready" if apart >= 0 else ""


RULE = log_rule(
    "compiled-after-ready",
    title="Kernels are compiled while requests wait",
    why="Ready does not mean warm: the first requests pay for compiling, and look like a slow server.",
    source="vLLM 0.21, jit_monitor.py; https://github.com/MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark issue 65",
    judge=_judge,
)
