"""What of a sparkrun recipe makes its serve command: the template, the defaults, the model, the runtime.

Source: sparkrun 0.4.2, ``core/recipe.py``: recipes are read as YAML 1.1 (``yes`` is true), the runtime is taken from
the beginning of the command where none is named, and plain ``vllm`` is ``vllm-distributed`` unless Ray is asked for.
"""

__all__ = ["Default", "Recipe", "placed", "read_recipe"]

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ruamel.yaml.nodes import MappingNode, ScalarNode

from sparktune.deploy.settings.yaml_old import data_of
from sparktune.formats.compose_yaml import UNREADABLE, load_compose, nodes_of_compose
from sparktune.formats.located import Located
from sparktune.formats.yaml_scalar import located_scalar

_STARTS = (
    (re.compile(r"vllm\s+serve\b"), "vllm"),
    (re.compile(r"(?:sglang\s+serve|python3?\s+-m\s+sglang\.launch_server)\b"), "sglang"),
    (re.compile(r"llama-server\b"), "llama-cpp"),
    (re.compile(r"(?:trtllm-serve|mpirun\b.*trtllm)"), "trtllm"),
)
_RAY = re.compile(r"--distributed-executor-backend[\s=]+ray\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Default:
    """A value that the command may use, as Python has it, and where it is written."""

    value: Any
    located: Located


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """``command`` is None where the runtime builds it; ``runtime`` is the one that sparkrun takes."""

    model: Default
    revision: Default | None
    runtime: str
    defaults: Mapping[str, Default]
    command: Located | None


def read_recipe(text: str) -> Recipe | None:
    """Return the recipe, or None for a text that is none: no mapping, or neither a model nor a command in it."""
    try:
        load_compose(text)  # refuses aliases that stand for more than a machine can hold
        root = nodes_of_compose(text)
        data = data_of(root)
    except UNREADABLE:
        return None
    if not isinstance(data, Mapping) or not isinstance(root, MappingNode):
        return None
    nodes = dict(_members(root))
    command, defaults = data.get("command"), data.get("defaults")
    if not isinstance(command, str | None) or not (command or data.get("model")):
        return None
    values = {
        key: _default(value, dict(_members(nodes["defaults"])).get(key), text)
        for key, value in (defaults.items() if isinstance(defaults, Mapping) else ())
        if isinstance(key, str)
    }
    revision = data.get("model_revision")
    return Recipe(
        model=_default(str(data.get("model") or ""), nodes.get("model"), text),
        revision=_default(str(revision), nodes.get("model_revision"), text) if revision else None,
        runtime=_runtime(str(data.get("runtime") or ""), (command or "").strip(), values),
        defaults=values,
        command=located_scalar(text, nodes["command"]) if command else None,
    )


def _members(node: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - nodes of ruamel.yaml, which are not typed
    for key, value in node.value if isinstance(node, MappingNode) else ():
        if isinstance(key, ScalarNode):
            yield str(key.value), value


def _default(value: Any, node: Any, text: str) -> Default:  # noqa: ANN401 - see above
    said = str(value)
    if isinstance(node, ScalarNode):
        found = located_scalar(text, node)
        if found.text == said:
            return Default(value=value, located=found)
    place = int(node.start_mark.index) if node is not None else 0
    return Default(value=value, located=placed(said, place))


def placed(text: str, place: int) -> Located:
    """Return a text that stands for what is written at one place."""
    where = (place,) * len(text)
    return Located(text=text, starts=where, ends=where, before=place, after=place, encode=None, fixed="it is filled in")


def _runtime(named: str, command: str, defaults: Mapping[str, Default]) -> str:
    runtime = named or next((name for start, name in _STARTS if start.match(command)), "")
    if runtime not in {"", "vllm"}:
        return runtime
    backend = defaults.get("distributed_executor_backend")
    ray = (backend is not None and str(backend.value).lower() == "ray") or _RAY.search(command) is not None
    return "vllm-ray" if ray else "vllm-distributed"
