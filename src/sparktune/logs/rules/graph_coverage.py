"""Decode steps that are larger than any CUDA graph that this boot captured."""

__all__ = ["RULE"]

import re
from collections.abc import Iterator

from sparktune.deploy.graph_coverage import Graphs, coverage, least_cap
from sparktune.logs.rules._shared import at, log_rule, number, numbers, setting
from sparktune.model.finding import Finding, Severity
from sparktune.model.log import LogLine, LogView, ReadLog

_MODE = "compilation_config.cudagraph_mode"
_CAP = ("max_cudagraph_capture_size", "compilation_config.max_cudagraph_capture_size")
_SIZES = ("cudagraph_capture_sizes", "compilation_config.cudagraph_capture_sizes")
_ENOUGH = 16  # the largest concurrency in published tables of Sparks: a larger max_num_seqs is an upper bound


def _judge(view: LogView) -> Iterator[Finding]:
    for log in view.logs:
        if log.engine == "vllm" and not _no_graphs(log):
            yield from _of_log(log)


def _of_log(log: ReadLog) -> Iterator[Finding]:
    asked, drafts = setting(log, "max_num_seqs"), _drafts(log)
    requests = number(asked.value) if asked is not None else None
    cap, sizes, line = _captured(log)
    if requests is None or drafts is None or (cap is None and sizes is None):
        return
    found = coverage(Graphs(requests=requests, drafts=drafts, cap=cap, sizes=sizes, version=_version(log)))
    if found is None or found.requests >= requests:
        return
    wanted, least = requests * (drafts + 1), least_cap(requests, drafts)
    evidence = (
        f"at most {found.requests} of {requests} requests decode inside a CUDA graph: a step of all of them is "
        f"{requests} x {drafts + 1} = {wanted} tokens, the largest captured is {found.tokens}{_cut(log, found.tokens)}"
    )
    ways = [f"set max_cudagraph_capture_size to {least}"] if least is not None else []
    ways += [f"name the sizes, multiples of {drafts + 1} up to {wanted}", "lower max_num_seqs"]
    hint = ", or ".join(ways) + "; or leave it unset where the version derives it; larger graphs take memory"
    yield at(log, line, Severity.ERROR if found.requests < _ENOUGH else Severity.INFO, evidence, hint)


def _captured(log: ReadLog) -> tuple[int | None, tuple[int, ...] | None, LogLine | int | None]:
    """Return largest size and sizes that this boot says it takes, and where."""
    told = log.fact("graph_sizes")
    if told is not None:
        return None, numbers(told.value), told.line
    sizes = setting(log, *_SIZES)
    if sizes is not None and numbers(sizes.value):
        return None, numbers(sizes.value), sizes.origin.line or None
    cap = setting(log, *_CAP)
    return (None, None, None) if cap is None else (number(cap.value), None, cap.origin.line or None)


def _cut(log: ReadLog, tokens: int) -> str:
    asked = setting(log, *_CAP, resolved=False)
    size = number(asked.value) if asked is not None else None
    return f" ({size} was asked for, and cut)" if size is not None and size != tokens else ""


def _drafts(log: ReadLog) -> int | None:
    """Return the draft tokens of a step: 0 without speculation, None where that is not told."""
    found = setting(log, "speculative_config.num_speculative_tokens", "num_speculative_tokens")
    if found is not None:
        return number(found.value)
    speculates = any(one.key.startswith("speculative_config") for one in (*log.asked, *log.resolved) if one.value)
    return None if speculates or not log.asked else 0


def _no_graphs(log: ReadLog) -> bool:
    eager, mode = setting(log, "enforce_eager"), setting(log, _MODE)
    return (eager is not None and eager.value is True) or (mode is not None and mode.value in {"NONE", 0})


def _version(log: ReadLog) -> tuple[int, int] | None:
    found = re.match(r"v?(\d{1,3})\.(\d{1,4})", log.version)
    return (int(found[1]), int(found[2])) if found else None


RULE = log_rule(
    "graph-coverage",
    title="Decode steps are larger than any captured CUDA graph",
    why="Steps beyond the largest graph are launched kernel by kernel; a report of two Sparks has 25 instead of 133 "
    "tok/s at six requests.",
    source="vLLM, config/vllm.py; https://github.com/vllm-project/vllm issue 54933 and pull 37865",
    judge=_judge,
)
