"""A value that was looked for on a node: there, not there, or not readable - three answers, never confused."""

__all__ = ["Observed", "State", "absent", "present", "unreadable"]

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Generic, TypeVar

_T = TypeVar("_T")
_U = TypeVar("_U")


class State(Enum):
    """What looking for a value came to."""

    PRESENT = "present"
    ABSENT = "absent"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Observed(Generic[_T]):
    """``value`` is None unless PRESENT; ``why`` says what stood in the way when UNREADABLE."""

    state: State
    value: _T | None = None
    why: str = ""

    def map(self, change: Callable[[_T], _U]) -> "Observed[_U]":
        """Apply ``change`` to a value that is there; a ValueError of it makes the value UNREADABLE."""
        if self.value is None:
            return Observed(self.state, None, self.why)
        try:
            return present(change(self.value))
        except ValueError as error:
            return unreadable(str(error))


def present(value: _T) -> Observed[_T]:
    """Return a value that is there."""
    return Observed(State.PRESENT, value)


def absent() -> "Observed[_T]":
    """Return that the thing does not exist."""
    return Observed(State.ABSENT)


def unreadable(why: str) -> "Observed[_T]":
    """Return that the thing may exist, but was not read, and why."""
    return Observed(State.UNREADABLE, None, why)
