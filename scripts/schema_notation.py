"""A compact notation of shapes of JSON, and the JSON Schema (2020-12) that it stands for.

A text names a type: ``str``, ``int``, ``num``, ``bool``, ``any``; ``?`` behind it allows null; ``a|b`` behind ``=`` are
the only words. A list of one is an array; a dict an object whose keys are required but for those that end with ``?``;
``{"*": X}`` is an object with keys of any name. ``Null(X)`` allows null in the place of X. ``"!why": {KEY: REASON}``:
where KEY is null, REASON is a text that is not empty. More members are welcome everywhere.
"""

from dataclasses import dataclass
from typing import Any

__all__ = ["Null", "Shapes", "object_schema"]

Shapes = dict[str, tuple[str, dict[str, Any]]]
"""By name: the commands that print it, and its members."""

_TYPES = {"str": "string", "int": "integer", "num": "number", "bool": "boolean"}


@dataclass(frozen=True, slots=True)
class Null:
    """Null, or what is in it."""

    of: Any


def object_schema(members: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an object with these members."""
    named = {key: kind for key, kind in members.items() if key not in {"*", "!why"}}
    found: dict[str, Any] = {"type": "object"}
    if named:
        found["properties"] = {key.removesuffix("?"): _of(kind) for key, kind in named.items()}
        found["required"] = [key for key in named if not key.endswith("?")]
    if "*" in members:
        found["additionalProperties"] = _of(members["*"])
    if "!why" in members:
        found["allOf"] = [_reasoned(key, reason) for key, reason in members["!why"].items()]
    return found


def _of(kind: Any) -> dict[str, Any]:  # noqa: ANN401, PLR0911 - the notation, a line for each of its forms
    if isinstance(kind, Null):
        return {"anyOf": [{"type": "null"}, _of(kind.of)]}
    if isinstance(kind, list):
        return {"type": "array", "items": _of(kind[0])}
    if isinstance(kind, dict):
        return object_schema(kind)
    if kind == "one":
        return {"const": 1}
    if kind == "any":
        return {}
    if kind.startswith("="):
        return {"enum": kind[1:].split("|")}
    name = _TYPES[kind.removesuffix("?")]
    return {"type": [name, "null"] if kind.endswith("?") else name}


def _reasoned(key: str, reason: str) -> dict[str, Any]:
    return {
        "if": {"properties": {key: {"type": "null"}}, "required": [key]},
        "then": {"properties": {reason: {"type": "string", "minLength": 1}}, "required": [reason]},
    }
