"""What the records of a journal have to be, to be acted on: one that is otherwise was written by nobody of ours."""

__all__ = ["is_begin", "makes_sense"]

from collections.abc import Container, Sequence
from typing import Any

_TEXTS = ("boot_id", "label", "of", "plan", "who")
_NUMBERS = ("at", "confirm_by_boottime_ns", "confirm_by_ns", "confirm_within_s")
_TURNS = ("ABORT", "COMMIT", "CONFIRM", "GIVEN_UP", "INCOMPLETE", "REVERTED", "UNDOING")


def is_begin(record: dict[str, Any]) -> bool:
    """Tell whether this can be a first record."""
    steps = record.get("steps")
    return (
        record.get("record") == "BEGIN"
        and isinstance(steps, list)
        and all(isinstance(step, dict) for step in steps)
        and all(isinstance(record.get(name, ""), str) for name in _TEXTS)
        and all(_is_number(record.get(name, 0)) for name in _NUMBERS)
        and isinstance(record.get("profile", {}), dict)
    )


def makes_sense(record: dict[str, Any], steps: Sequence[Any], prepared: Container[int]) -> bool:
    """Tell whether this can follow, in a transaction of these steps, of which some are prepared."""
    word, number = record.get("record"), record.get("step")
    if word in _TURNS:
        return _is_whole(record.get("at"))
    if not _is_whole(number):
        return False
    if word == "PREPARE":
        return number in range(len(steps)) and isinstance(record.get("before"), dict)
    if number not in prepared or not _are_items(record.get("items")):
        return False
    after = record.get("after", "")
    return word == "UNDO" or (word in {"DONE", "FAILED"} and (after is None or isinstance(after, dict)))


def _are_items(items: Any) -> bool:  # noqa: ANN401 - whatever is there
    return isinstance(items, dict) and all(
        isinstance(said, dict) and isinstance(said.get("outcome"), str) for said in items.values()
    )


def _is_whole(value: Any) -> bool:  # noqa: ANN401 - whatever is there
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:  # noqa: ANN401 - whatever is there
    return _is_whole(value) or isinstance(value, float)
