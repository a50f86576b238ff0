"""Facts as plain values, to compare them with what a case in YAML expects."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from sparktune.host.cpulist import format_cpulist
from sparktune.model.observed import Observed, State


def plain(value: Any) -> Any:  # noqa: ANN401 - any fact, and any plain value
    """Return records as mappings, CPU sets as lists in text, values that are not there as ``absent``.

    What could not be read becomes ``unreadable: WHY``.
    """
    if isinstance(value, Observed):
        return _observed(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, frozenset):
        return f"cpus {format_cpulist(value)}".strip()
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return _scalar(value)


def _scalar(value: Any) -> Any:  # noqa: ANN401 - as above
    if type(value).__module__ == "ipaddress":
        return str(value)
    return value.value if isinstance(value, Enum) else value


def _observed(value: Observed[Any]) -> Any:  # noqa: ANN401 - as above
    if value.state is State.PRESENT:
        return plain(value.value)
    return "absent" if value.state is State.ABSENT else f"unreadable: {value.why}"


def lacks(actual: Any, expected: Any, where: str = "") -> list[str]:  # noqa: ANN401 - compares plain values
    """Return what ``expected`` names and ``actual`` does not have; mappings may have more keys than expected.

    For a list a mapping may name items by the value of their first field, and leave others out.
    An expected ``unreadable`` stands for any reason; ``unreadable: WORDS`` for a reason with these words.
    """
    if isinstance(expected, dict) and isinstance(actual, list):
        actual = {next(iter(item.values())): item for item in actual}
    if isinstance(expected, dict) and isinstance(actual, dict):
        missing = [f"{where}.{key}: not there" for key in expected if key not in actual]
        shared = [key for key in expected if key in actual]
        return missing + [text for key in shared for text in lacks(actual[key], expected[key], f"{where}.{key}")]
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        pairs = enumerate(zip(actual, expected, strict=True))
        return [text for number, (one, other) in pairs for text in lacks(one, other, f"{where}[{number}]")]
    if isinstance(expected, str) and expected.startswith("unreadable") and isinstance(actual, str):
        words = expected.removeprefix("unreadable").removeprefix(":").strip()
        if actual.startswith("unreadable") and words in actual:
            return []
    same = actual == expected and isinstance(actual, bool) == isinstance(expected, bool)
    return [] if same else [f"{where}: {actual!r}, expected {expected!r}"]
