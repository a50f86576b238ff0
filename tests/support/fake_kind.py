"""A kind of step whose items are in memory, and an engine on an empty tree that knows no other kind."""

from pathlib import Path
from typing import Any

from sparktune.agent.engine import Engine
from sparktune.agent.failures import StepFailed
from sparktune.agent.kind import Items, Kind, Reading, Step
from sparktune.agent.machine import Machine
from sparktune.agent.tree import Tree

FIRST_BOOT, SECOND_BOOT = "00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"


class FakeKind(Kind):
    """Every item of a step's ``set`` gets the value that it has there.

    ``values`` is what there is. ``refuses`` are items that cannot be written, ``ignores`` those where writing does
    nothing, ``breaks`` those whose writing ends the step. ``done`` are the steps that were done.
    """

    name = "fake"

    def __init__(self, **values: str) -> None:
        """Begin with these values."""
        self.values: dict[str, str] = dict(values)
        self.refuses: set[str] = set()
        self.ignores: set[str] = set()
        self.breaks: set[str] = set()
        self.done: list[Step] = []
        self.lasting = False

    def look(self, machine: Machine, step: Step) -> Reading:
        """Return the values of the step's items."""
        del machine
        return {item: self.values.get(item) for item in step["set"]}

    def do(self, machine: Machine, step: Step, before: Reading) -> Items:
        """Set them."""
        del machine
        self.done.append(step)
        return {item: self._set(item, value, before.get(item)) for item, value in step["set"].items()}

    def put_back(self, machine: Machine, step: Step, item: str, before: Any) -> None:  # noqa: ANN401
        """Set one to what it was."""
        del machine, step
        if item in self.refuses:
            message = f"{item} refuses"
            raise StepFailed(message)
        if before is None:
            self.values.pop(item, None)
        else:
            self.values[item] = before

    def reached(self, step: Step, item: str, value: Any) -> bool:  # noqa: ANN401
        """Compare with what is to be set."""
        return bool(step["set"].get(item) == value)

    def lasts(self, step: Step) -> bool:
        """As it was told."""
        del step
        return self.lasting

    def again(self, step: Step) -> bool:
        """As the step says."""
        return bool(step.get("again"))

    def _set(self, item: str, value: str, before: Any) -> dict[str, str]:  # noqa: ANN401
        if item in self.breaks:
            message = f"{item} breaks"
            raise StepFailed(message)
        if item in self.refuses:
            return {"outcome": "refused", "why": f"{item} refuses"}
        if value == before:
            return {"outcome": "already"}
        if item not in self.ignores:
            self.values[item] = value
        return {"outcome": "changed"}


class FakeNode:
    """An empty tree with an agent on it that knows ``kind`` alone."""

    def __init__(self, folder: Path, kind: FakeKind) -> None:
        """Make the tree."""
        self.folder, self.kind = folder, kind
        self.home = folder / "var/lib/sparktune"
        self.reboot(FIRST_BOOT)

    def reboot(self, boot_id: str = SECOND_BOOT) -> None:
        """Give the node another boot."""
        path = self.folder / "proc/sys/kernel/random/boot_id"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{boot_id}\n")

    @property
    def engine(self) -> Engine:
        """A fresh agent, as every connection has one."""
        return Engine(Tree(str(self.folder)), b"the agent", {self.kind.name: self.kind})

    def transact(self, *steps: Step, **request: Any) -> dict[str, Any]:  # noqa: ANN401
        """Carry out steps; return how that ended, and the items' outcomes by step as ``outcomes``."""
        parts, end = self.engine.transact({"label": "test", "who": "me", "steps": list(steps), **request})
        return {**end, "outcomes": [_outcomes(part) for part in parts]}

    def revert(self, transaction: str = "") -> dict[str, Any]:
        """Undo; return how that ended, and the outcomes of all items as ``outcomes``, by transaction."""
        parts, end = self.engine.revert({"transaction": transaction, "who": "me"})
        outcomes = {part["transaction"]: _all(part["steps"]) for part in parts}
        return {**end, "outcomes": outcomes, "states": [part["state"] for part in parts]}

    def journal(self) -> list[dict[str, Any]]:
        """List the transactions."""
        transactions = self.engine.journal({})[1]["transactions"]
        assert isinstance(transactions, list)
        return transactions


def step(change: str = "test", *, reapply: bool = False, again: bool = False, **values: str) -> Step:
    """Return a step that sets values."""
    return {"kind": "fake", "change": change, "set": values, "expect": {}, "reapply": reapply, "again": again}


def _outcomes(part: dict[str, Any]) -> dict[str, str]:
    return {item: said["outcome"] for item, said in part["items"].items()}


def _all(steps: list[dict[str, Any]]) -> dict[str, str]:
    return {item: outcome for part in steps for item, outcome in _outcomes(part).items()}
