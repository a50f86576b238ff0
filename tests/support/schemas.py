"""Whether what a command prints is what the schemas in docs/reference promise."""

__all__ = ["promised", "schema_names"]

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

_FOLDER = Path(__file__).resolve().parents[2] / "docs" / "reference" / "schemas"


def schema_names() -> list[str]:
    """Return the names of all schemas."""
    return sorted(path.name.removesuffix(".v1.json") for path in _FOLDER.glob("*.v1.json"))


def promised(name: str, text: str) -> dict[str, Any]:
    """Return what a text has, as a schema promises it; the calling test fails with every place where it does not."""
    found = json.loads(text)
    faults = [
        f"{'/'.join(map(str, one.absolute_path))}: {one.message[:300]}" for one in validator(name).iter_errors(found)
    ]
    assert not faults, f"{name}.v1.json: " + "\n".join(faults)
    return found


@cache
def validator(name: str) -> Draft202012Validator:
    """Return the validator of a schema that is a schema itself."""
    schema = json.loads((_FOLDER / f"{name}.v1.json").read_text())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)
