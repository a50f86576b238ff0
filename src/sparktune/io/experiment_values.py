"""Single values of an experiment file, each by its key, and how a fault in one is told."""

__all__ = [
    "Fault",
    "boolean_at",
    "list_at",
    "mapping_at",
    "names_at",
    "nearest",
    "seconds_at",
    "share_at",
    "text_at",
]

import difflib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from sparktune.errors import UsageError
from sparktune.units import Ratio, Seconds

Fault = Callable[[tuple[Any, ...], str, str], UsageError]
"""Make the error for a place: keys from the root, what is wrong, the hint."""

_MOST: Final = 1e15  # whoever writes more, also an integer that no float holds, means something else


def share_at(values: Mapping[str, Any], key: str, usual: Ratio, fault: Fault) -> Ratio:
    """Return a share inside (0, 1). Raises what ``fault`` makes, as all of these do."""
    value = values.get(key, usual)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
        raise fault((key,), f"a share inside (0, 1) is wanted, not {value!r}", "0.03 is 3 %")
    return float(value)


def seconds_at(values: Mapping[str, Any], key: str, usual: Seconds, fault: Fault) -> Seconds:
    """Return a time from 0 on."""
    value = values.get(key, usual)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MOST:
        raise fault((key,), f"seconds from 0 on are wanted, not {value!r}", f"the usual is {usual:g}")
    return float(value)


def boolean_at(values: Mapping[str, Any], key: str, fault: Fault, *, usual: bool = False) -> bool:
    """Return true or false."""
    value = values.get(key, usual)
    if not isinstance(value, bool):
        hint = f"leave {key} out for {str(usual).lower()}"
        raise fault((key,), f"true or false is wanted, not {value!r}", hint)
    return value


def text_at(values: Mapping[str, Any], key: str, fault: Fault) -> str:
    """Return a text without the space around it, "" where there is none."""
    value = values.get(key, "")
    if not isinstance(value, str):
        raise fault((key,), f"a text is wanted here, not {value!r}", "put it in quotes")
    return value.strip()


def names_at(values: Mapping[str, Any], key: str, fault: Fault) -> tuple[str, ...]:
    """Return names, none of them empty."""
    found = values.get(key, ())
    if not isinstance(found, list | tuple) or not all(isinstance(name, str) and name for name in found):
        raise fault((key,), "a list of names is wanted here", f"for instance {key}: [spark1, spark2]")
    return tuple(found)


def list_at(values: Mapping[str, Any], key: str, example: str, fault: Fault) -> list[Any]:
    """Return a list of whatever there is; ``example`` is one that could stand there."""
    value = values.get(key, [])
    if not isinstance(value, list | tuple):
        raise fault((key,), f"a list is wanted here, not {value!r}", f"for instance {key}: {example}")
    return list(value)


def mapping_at(values: Mapping[str, Any], key: str, fault: Fault) -> Mapping[str, Any]:
    """Return names and their values, none where there is nothing."""
    value = values.get(key)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise fault((key,), f"names and their values are wanted here, not {value!r}", f"write {key}: {{NAME: VALUE}}")
    return value


def nearest(name: str, known: Sequence[str]) -> str:
    """Return a hint that lists the names that are known, the one that was probably meant first."""
    near = difflib.get_close_matches(name, known, n=1)
    listed = f"known here: {', '.join(known)}"
    return f"did you mean {near[0]}? {listed}" if near else listed
