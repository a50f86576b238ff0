"""A share of memory that a machine with one memory for all does not have."""

__all__ = ["RULE"]

from collections.abc import Iterator

from sparktune.deploy.rules._shared import Found, at, number, part_rule
from sparktune.model.finding import Severity
from sparktune.model.lint import LintView, Part

_LIMITS = {"vllm": ("gpu_memory_utilization", 0.87), "sglang": ("mem_fraction_static", 0.85)}


def _judge(part: Part, _view: LintView) -> Iterator[Found]:
    key, limit = _LIMITS.get(part.engine, ("", 0.0))
    value = number(part, key) if key else None
    if value is None:
        return
    setting = part.settings[key]
    if not 0 < value <= 1:
        yield at(setting, Severity.ERROR, f"{key} is {value:g}, and it is a share", "give a number between 0 and 1")
    elif value >= limit:
        seen = (
            "0.87 never started (101 to 102 of 121.7 GiB were free), and 0.90 on one node swapped"
            if part.engine == "vllm"
            else "0.85 to 0.95 froze hosts"
        )
        yield at(
            setting,
            Severity.WARNING,
            f"{key} is {value:g}: on a Spark that is a share of all memory, the host's included; in reports {seen}",
            "see how much is free before a start (sparktune doctor), leave several GiB to the host, and watch "
            "the start with sparktune guard",
        )


RULE = part_rule(
    "memory-fraction",
    title="a share of unified memory that leaves nothing to the host",
    why="CPU and GPU have one memory: a share that is not free fails at start, or pushes the host into swap; what "
    "profiling takes is not bounded by it.",
    source="https://github.com/MiaAI-Lab/GLM-5.3-Flash-EXL3-2x-DGX-Sparks/issues/47; "
    "https://github.com/bjk110/spark_vllm_docker/issues/14; "
    "https://github.com/vllm-project/vllm/issues/46307; https://github.com/sgl-project/sglang/issues/35860",
    judge=_judge,
)
