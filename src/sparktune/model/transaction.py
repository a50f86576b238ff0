"""What a node says of its transactions: what became of each item, and the journal."""

__all__ = [
    "ItemResult",
    "JournalEntry",
    "LeftItem",
    "StepResult",
    "Transaction",
    "TransactionOutcome",
    "UndoneTransaction",
]

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sparktune.model.step import ThreadRuleStep

State = Literal["open", "committed", "unconfirmed", "rolled_back", "reverted", "incomplete", "given_up"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemResult:
    """What became of one item, and why where that needs saying.

    Doing: changed, already, managed (the kernel places it), gone, refused, ineffective (written, but not so
    afterwards). Undoing: restored, already, foreign (somebody else changed it since: left), void (it was of another
    boot), gone, failed. ``found`` is what is there now, ``wanted`` what should be.
    """

    outcome: str
    why: str = ""
    found: str | None = None
    wanted: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StepResult:
    """One step of a transaction: its place, its kind, the change that it belongs to, and its items."""

    step: int
    kind: str
    change: str
    items: Mapping[str, ItemResult] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoneTransaction:
    """A transaction that was undone. ``state`` is reverted (rolled_back for one that had not ended) or incomplete.

    ``why`` says why an incomplete one was not touched at all, empty otherwise.
    """

    transaction: str
    state: State
    steps: tuple[StepResult, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TransactionOutcome:
    """How ``transact`` ended: committed, unconfirmed, rolled_back or incomplete (even undoing failed).

    ``failed`` says which step failed and why, empty when none did; ``steps`` what was done, ``undone`` what was taken
    back. ``recovered`` are crashed transactions that were rolled back first.
    """

    transaction: str
    state: State
    failed: str = ""
    steps: tuple[StepResult, ...] = ()
    undone: tuple[StepResult, ...] = ()
    recovered: tuple[UndoneTransaction, ...] = ()

    @property
    def left(self) -> tuple[str, ...]:
        """The items that were not taken back, because somebody else had changed them."""
        items = (item for step in self.undone for item in step.items.items())
        return tuple(item for item, result in items if result.outcome == "foreign")


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """One item as the journal knows it: what was there first, and what the transaction left."""

    change: str
    kind: str
    item: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftItem:
    """One item that undoing did not bring back, as it was then: foreign, gone, or failed (it could not be put back).

    ``before`` is what was there first, ``found`` what was there when it was to be undone, None where that is not known.
    """

    change: str
    kind: str
    item: str
    outcome: Literal["foreign", "gone", "failed"]
    why: str = ""
    before: str | None = None
    found: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Transaction:
    """One transaction of a node's journal. ``profile`` is the JSON of the profile that it applied, {} for others.

    ``state`` given_up: what could not be undone was given up by somebody, and is in ``left``. ``rules`` are its steps
    that give threads CPUs by what they are; one that did the steps of another again tells none.

    Times are wall clock nanoseconds; ``confirm_by_ns`` 0 when nothing is waited for. ``plan`` is the plan's hash.
    """

    id: str
    label: str
    state: State
    boot_id: str
    began_ns: int
    ended_ns: int = 0
    confirm_by_ns: int = 0
    who: str = ""
    plan: str = ""
    profile: Mapping[str, Any] = field(default_factory=dict)
    entries: tuple[JournalEntry, ...] = ()
    left: tuple[LeftItem, ...] = ()
    rules: tuple[ThreadRuleStep, ...] = ()
