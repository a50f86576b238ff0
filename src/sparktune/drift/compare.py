"""Whether two values of one setting are the same, however they are written. Pure.

Sources: vLLM 0.33.0, ``utils/argparse_utils.py``: whole numbers may be ``1k`` (1000) or ``1K`` (1024), maps compare as
JSON. getenv(3): a variable is a text, so that ``2`` and ``2.0`` are two values of it, and "" is one too.
"""

__all__ = ["as_json", "left_to_engine", "same_value", "shown"]

import json
import math
from collections.abc import Mapping
from typing import Any, Final

from sparktune.deploy.settings.values import member_of, plain, word_of
from sparktune.model.setting import Value

_SUFFIXES: Final = {
    "k": 1000, "K": 1024, "m": 1000**2, "M": 1024**2, "g": 1000**3, "G": 1024**3, "t": 1000**4, "T": 1024**4,
}  # fmt: skip
_AUTO: Final = ("auto", -1, "-1", None)
_MODEL_DECIDES: Final = frozenset({"ctx_size", "n_gpu_layers"})
_CLOSE: Final = 1e-9
_MOST_SHOWN: Final = 120


def same_value(key: str, one: Value, other: Value) -> bool:
    """Tell whether two values of the setting ``key`` are one; a variable (``env.NAME``) is compared as text."""
    if key.startswith("env."):
        return _variable(one) == _variable(other)
    return _equal(_plain(one), _plain(other))


def left_to_engine(key: str, value: Value) -> bool:
    """Tell whether a value leaves the decision to the engine: whatever that resolves it to is no difference."""
    return value in _AUTO or (key in _MODEL_DECIDES and value in (0, "0"))


def shown(key: str, value: Value) -> str:
    """Return a value as a table shows it: one line, "empty" for an empty text."""
    if value is None:
        return "given, without a value"
    text = " ".join(word_of(value).split())
    if not text:
        return "empty"
    if key.startswith("env.") and value != text:  # blanks around it are a part of a variable
        text = repr(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 3]}..."


def _variable(value: Value) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value is None else word_of(value)


def _plain(value: Any) -> Any:  # noqa: ANN401 - a Value, or what JSON has
    """Return a value with texts of numbers, truth values and maps taken for these, lists of one for that one."""
    if isinstance(value, str):
        bare = value.strip()
        if bare.lower() in {"true", "false"}:
            return bare.lower() == "true"
        read = member_of(bare, _SUFFIXES)
        return bare if isinstance(read, str) else _plain(read)
    if isinstance(value, tuple | list):
        inside = [_plain(one) for one in value]
        return inside[0] if len(inside) == 1 else inside
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    return value


def _equal(one: Any, other: Any) -> bool:  # noqa: ANN401 - see above
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other or math.isclose(one, other, rel_tol=_CLOSE)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_equal(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_equal, one, other))
    return bool(one == other)


def as_json(value: Value) -> Any:  # noqa: ANN401 - what JSON has
    """Return a value as JSON has it."""
    return json.loads(json.dumps(plain(value), default=str))
