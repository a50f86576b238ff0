"""One thing that a step of an arm touches."""

__all__ = ["Item"]

from dataclasses import dataclass

from sparktune.model.observed import Observed


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """Its value now, and the one that the step wants. ``form`` as in ValueStep."""

    name: str
    found: Observed[str]
    wanted: str
    form: str
