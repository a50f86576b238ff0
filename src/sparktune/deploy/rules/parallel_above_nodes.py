"""More GPUs than the nodes of a recipe have."""

__all__ = ["RULE"]

from collections.abc import Iterator

from sparktune.deploy.rules._shared import Found, at, key_text, number, part_rule
from sparktune.model.finding import Severity
from sparktune.model.lint import LintView, Part


def _judge(part: Part, _view: LintView) -> Iterator[Found]:
    tensor = number(part, "tensor_parallel_size", "tp_size")
    pipeline = number(part, "pipeline_parallel_size", "pp_size") or 1
    most = key_text(part, "max_nodes") if part.document.format == "recipe" else ""
    nodes = int(most) if most.isdigit() else number(part, "nnodes")
    if tensor is None or nodes is None or tensor * pipeline <= nodes:
        return
    key = next(key for key in ("tensor_parallel_size", "tp_size") if key in part.settings)
    said = f"max_nodes is {most}" if most else f"--nnodes is {int(nodes)}"
    yield at(
        part.settings[key],
        Severity.ERROR,
        f"tensor x pipeline parallel is {int(tensor * pipeline)}, and {said}: a Spark has one GPU",
        "a GPU cannot be split into several: give it as many nodes, or lower the parallel sizes",
    )


RULE = part_rule(
    "parallel-above-nodes",
    title="more GPUs than there are nodes",
    why="The engine waits for ranks that never come, or ends at start; validation does not look at it.",
    source="NVIDIA DGX Spark, hardware (one GB10 per system); sparkrun 0.4.2, tried: recipe validate is silent",
    judge=_judge,
)
