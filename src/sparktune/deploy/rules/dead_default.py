"""Defaults of a recipe that its command never uses."""

__all__ = ["RULE"]

from collections.abc import Iterator

from sparktune.deploy.rules._shared import Found, lint_rule
from sparktune.deploy.settings.recipe import read_recipe
from sparktune.deploy.settings.recipe_render import rendered
from sparktune.model.document import Document
from sparktune.model.finding import Severity
from sparktune.model.lint import Fix, LintView

# Told by another rule, or read by sparkrun itself and not by the command
_ELSEWHERE = frozenset({"cpuset_cpus", "cpuset", "host", "port", "model", "served_model_name"})
# sparkrun 0.4.2 reads these to choose nodes and to estimate memory, whether the server is told or not
_PLANNED = frozenset(
    {
        "tensor_parallel",
        "pipeline_parallel",
        "data_parallel",
        "expert_parallel",
        "gpu_memory_utilization",
        "max_model_len",
        "kv_cache_dtype",
        "dtype",
        "quantization",
        "speculative_config",
    }
)


def _judge(view: LintView) -> Iterator[Found]:
    for document in view.documents:
        recipe = read_recipe(document.text) if document.format == "recipe" else None
        if recipe is None:
            continue
        done = rendered(recipe)
        how = "the runtime has no flag for it" if done.built else "the command has no {%s}"
        for name in done.unused:
            if name in _ELSEWHERE or isinstance(recipe.defaults[name].value, dict):
                continue
            said = how % name if "%s" in how else how
            if name in _PLANNED:
                if not (name.endswith("_parallel") and recipe.defaults[name].value == 1):
                    yield _planned(document, name, said)
                continue
            yield Found(
                severity=Severity.WARNING,
                evidence=f"the default {name} reaches nobody: {said}",
                hint=f"use {{{name}}} in the command, or take the default out: -o {name}=... changes nothing either",
                file=document.name,
                line=_line(document, name),
                fix=None if done.built else Fix(file=document.name, part="", kind="default", name=name, value=None),
            )


def _planned(document: Document, name: str, said: str) -> Found:
    return Found(
        severity=Severity.WARNING,
        evidence=f"sparkrun plans with the default {name}, and the server is not told: {said}",
        hint=f"use {{{name}}} in the command, so that both have the same",
        file=document.name,
        line=_line(document, name),
    )


def _line(document: Document, name: str) -> int:
    return next((one.line for one in document.entries if one.kind == "default" and one.name == name), 0)


RULE = lint_rule(
    "dead-default",
    title="a default that nothing uses",
    why="It looks like a setting and is none; sparkrun drops it, and whoever changes it measures nothing.",
    source="sparkrun 0.4.2, core/recipe.py; https://github.com/spark-arena/sparkrun/issues/276",
    judge=_judge,
)
