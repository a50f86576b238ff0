"""A transaction as its journal tells it."""

__all__ = ["Past", "PastStep", "past_from", "past_of"]

from dataclasses import dataclass, field
from typing import Any

from sparktune.agent.journal import Record, read_records
from sparktune.agent.kind import Items, Reading, Step
from sparktune.agent.record import is_begin, makes_sense

_UNSETTLED = "failed"
_TOUCHED = ("changed", "ineffective")
_ENDS = {"ABORT": "rolled_back", "REVERTED": "reverted", "INCOMPLETE": "incomplete", "GIVEN_UP": "given_up"}


@dataclass
class PastStep:
    """A step that was at least prepared. ``after`` is None when nobody looked afterwards: then it may be half done.

    ``settled`` is what undoing came to, by item; ``failed`` those that it could not put back so far.
    """

    number: int
    step: Step
    before: Reading
    after: Reading | None = None
    items: Items = field(default_factory=dict)
    done: bool = False
    settled: dict[str, dict[str, Any]] = field(default_factory=dict)
    failed: dict[str, dict[str, Any]] = field(default_factory=dict)

    def touched(self, item: str) -> bool:
        """Tell whether the step may have changed an item."""
        if not self.done or self.after is None:
            return True
        outcome = self.items.get(item, {}).get("outcome")
        return outcome in _TOUCHED or self.before.get(item) != self.after.get(item)


@dataclass
class Past:
    """``begin`` is the first record; ``state`` as ``sparktune.model.transaction`` names it; ``damage`` "" for none."""

    id: str
    begin: Record
    steps: dict[int, PastStep] = field(default_factory=dict)
    state: str = "open"
    committed: bool = False
    ended_ns: int = 0
    damage: str = ""

    @property
    def number(self) -> int:
        """Its place among the transactions of the node."""
        return int(self.id.partition("-")[0])

    @property
    def over(self) -> bool:
        """Tell whether there is nothing more to undo: all is taken back, or what was left was given up."""
        return self.state in {"rolled_back", "reverted", "given_up"}

    @property
    def applied(self) -> bool:
        """Tell whether it stands."""
        return self.state in {"committed", "unconfirmed"}

    @property
    def source(self) -> str:
        """The transaction that this one did again, else this one."""
        return str(self.begin.get("of") or self.id)

    @property
    def again(self) -> bool:
        """Tell whether it did another one's steps again."""
        return bool(self.begin.get("of"))

    def touched(self) -> set[str]:
        """Return the items that it may have changed."""
        return {item for step in self.steps.values() for item in step.before if step.touched(item)}


def past_of(name: str, folder: str) -> Past | None:
    """Read a transaction; None when it never began. Raises OSError.

    One whose first record cannot be read did begin: it has no ``begin``, and is damaged.
    """
    try:
        records, damage = read_records(folder)
    except FileNotFoundError:
        return None
    if not records and not damage:
        return None
    return past_from(name, records, damage)


def past_from(name: str, records: list[Record], damage: str = "") -> Past:
    """Return what records tell."""
    past = Past(name, {}, damage=damage)
    for number, record in enumerate(records):
        if not (makes_sense(record, past.begin["steps"], past.steps) if number else is_begin(record)):
            past.damage = f"record {number} of the journal of {name} makes no sense"
            break
        if number:
            _take(past, record)
        else:
            past.begin = record
    return past


def _take(past: Past, record: Record) -> None:
    word = record["record"]
    if word == "PREPARE":
        number = record["step"]
        past.steps[number] = PastStep(number, past.begin["steps"][number], record["before"])
    elif word in {"DONE", "FAILED"}:
        step = past.steps[record["step"]]
        step.after, step.items, step.done = record["after"], record["items"], word == "DONE"
    elif word == "UNDO":
        step, said = past.steps[record["step"]], record["items"]
        step.settled.update({item: one for item, one in said.items() if one["outcome"] != _UNSETTLED})
        step.failed.update({item: one for item, one in said.items() if one["outcome"] == _UNSETTLED})
    else:
        _turn(past, word)
        past.ended_ns = record["at"]


def _turn(past: Past, word: str) -> None:
    if word == "COMMIT":
        past.committed = True
        past.state = "unconfirmed" if past.begin.get("confirm_within_s") else "committed"
    elif word == "CONFIRM":
        past.state = "committed"
    elif word == "UNDOING":
        past.state = "incomplete" if past.committed else "open"
    else:
        past.state = _ENDS[word]
