"""The data of a YAML file as PyYAML reads it: YAML 1.1, in which ``yes`` is true and ``010`` is eight.

Source: PyYAML 6.0.3, ``resolver.py`` and ``constructor.py``, which sparkrun reads its recipes with. The parser that the
rest of this project uses knows YAML 1.2, and takes ``n`` for false in 1.1, which PyYAML does not.
"""

__all__ = ["data_of"]

import re
from typing import Any

from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

_TRUE = frozenset(["yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"])
_FALSE = frozenset(["no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"])
_NULL = frozenset(("~", "null", "Null", "NULL", ""))
_WHOLE = re.compile(r"[-+]?(?:0b[01_]+|0x[0-9a-fA-F_]+|0[0-7_]*|[1-9][0-9_]*)")
_SIXTIES = re.compile(r"[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+")
_REAL = re.compile(r"[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?")
_SIXTY = 60


def data_of(node: Node | None) -> Any:  # noqa: ANN401 - what the file's author wrote
    """Return the data of a node. Raises RecursionError for one that holds itself, ValueError for an odd number."""
    if isinstance(node, MappingNode):
        return _mapping(node)
    if isinstance(node, SequenceNode):
        return [data_of(one) for one in node.value]
    if not isinstance(node, ScalarNode):
        return None
    text = str(node.value)
    return _typed(text) if node.style is None else text


def _mapping(node: MappingNode) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    for key, value in node.value:
        if isinstance(key, ScalarNode) and key.style is None and key.value == "<<":
            merged = data_of(value)
            for one in reversed(merged if isinstance(merged, list) else [merged]):
                found = {**one, **found} if isinstance(one, dict) else found
    own = ((data_of(key), value) for key, value in node.value if getattr(key, "value", None) != "<<")
    return {**found, **{key if isinstance(key, _Plain) else str(key): data_of(value) for key, value in own}}


_Plain = str | int | float | bool | None


def _typed(text: str) -> Any:  # noqa: ANN401 - see above
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    if text in _NULL:
        return None
    if _WHOLE.fullmatch(text):
        return _whole(text.replace("_", ""))
    if _SIXTIES.fullmatch(text):
        return _sixties(text.replace("_", ""))
    return float(text.replace("_", "")) if _REAL.fullmatch(text) else text


def _whole(text: str) -> int:
    digits = text.lstrip("+-")
    base = 2 if digits.startswith("0b") else 16 if digits.startswith("0x") else 8 if digits[0] == "0" else 10
    return int(digits, base) * (-1 if text.startswith("-") else 1) if digits != "0" else 0


def _sixties(text: str) -> int:
    total = 0
    for part in text.lstrip("+-").split(":"):
        total = total * _SIXTY + int(part)
    return -total if text.startswith("-") else total
