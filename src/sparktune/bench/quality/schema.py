"""Whether arguments fit a JSON schema: the part of JSON Schema that our own tools are written in, and no more.

Known are type (one name), enum, properties, required, additionalProperties: false, items, minItems, minimum, maximum.
Source: JSON Schema 2020-12, validation.
"""

__all__ = ["KNOWN_WORDS", "misfit"]

from collections.abc import Mapping, Sequence
from typing import Any, Final

KNOWN_WORDS: Final = frozenset(
    {
        "type",
        "enum",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "minItems",
        "minimum",
        "maximum",
        "description",
    }
)
_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def misfit(value: Any, schema: Mapping[str, Any], where: str = "arguments") -> str:  # noqa: ANN401 - any JSON
    """Return the first thing in which a value does not fit, with its place; "" when it fits."""
    kind = schema.get("type")
    if kind is not None and not _is(value, str(kind)):
        return f"{where}: {_shown(value)} is no {kind}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{where}: {_shown(value)} is none of {', '.join(map(str, schema['enum']))}"
    if isinstance(value, dict):
        return _object(value, schema, where)
    if isinstance(value, list):
        return _array(value, schema, where)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _number(value, schema, where)
    return ""


def _is(value: object, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES[kind])


def _object(value: Mapping[str, Any], schema: Mapping[str, Any], where: str) -> str:
    properties: Mapping[str, Any] = schema.get("properties", {})
    missing = [name for name in schema.get("required", ()) if name not in value]
    if missing:
        return f"{where}: {', '.join(missing)} is missing"
    extra = [name for name in value if name not in properties]
    if extra and schema.get("additionalProperties", True) is False:
        return f"{where}: {_shown(extra[0])} is no argument of it"
    found = (misfit(part, properties[name], f"{where}.{name}") for name, part in value.items() if name in properties)
    return next(filter(None, found), "")


def _array(value: Sequence[Any], schema: Mapping[str, Any], where: str) -> str:
    if len(value) < schema.get("minItems", 0):
        return f"{where}: {len(value)} entries, {schema['minItems']} are wanted at least"
    items = schema.get("items", {})
    return next(filter(None, (misfit(part, items, f"{where}[{place}]") for place, part in enumerate(value))), "")


def _number(value: float, schema: Mapping[str, Any], where: str) -> str:
    if value < schema.get("minimum", value):
        return f"{where}: {value} is below {schema['minimum']}"
    if value > schema.get("maximum", value):
        return f"{where}: {value} is above {schema['maximum']}"
    return ""


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:39]}…"  # noqa: PLR2004 - as much as a line holds
