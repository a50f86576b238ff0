"""What a question of the tool-call battery is made of."""

__all__ = ["ToolItem", "Wanted"]

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A call that is right. ``arguments`` are the values that are accepted, by the argument's path (``start.date``).

    Arguments that are not named here only have to fit the function's schema.
    """

    name: str
    arguments: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolItem:
    """``tools`` names functions of ``tools.py``; ``wanted`` every call of the right answer, in any order.

    Without ``wanted`` the right answer is a text without any call, in which one of ``says`` stands where there are any.
    ``earlier`` are messages after ``ask``: a call and its result. ``choice`` is sent as ``tool_choice``.
    """

    id: str
    tests: str
    tools: tuple[str, ...]
    ask: str
    wanted: tuple[Wanted, ...] = ()
    says: tuple[str, ...] = ()
    earlier: tuple[Mapping[str, Any], ...] = ()
    choice: str = "auto"
    stream: bool = False
