"""Undo whole transactions, and first of all those that a crash or a lost connection left behind."""

__all__ = ["Recovery", "expired"]

import time
from typing import Any

from sparktune.agent.home import Home
from sparktune.agent.journal import Journal
from sparktune.agent.past import Past
from sparktune.agent.timer import disarm
from sparktune.agent.tree import Tree
from sparktune.agent.undo import Undo, Undone


class Recovery:
    """What undoes the transactions of one home; whoever uses it holds the lock."""

    def __init__(self, tree: Tree, home: Home, undo: Undo, boot_id: str) -> None:
        """Keep what is needed."""
        self._tree, self._home, self._undo, self._boot_id = tree, home, undo, boot_id

    def recover(self) -> list[Undone]:
        """Undo what is open, half undone, or was not confirmed in time, the last one first."""
        self._forget_repetitions()
        return self.undo([past for past in self._home.transactions() if self._is_left_over(past)])

    def undo_all(self) -> list[Undone]:
        """Undo whatever is not over, the last one first."""
        self._forget_repetitions()
        return self.undo([past for past in self._home.transactions() if not past.over])

    def undo(self, pasts: list[Past]) -> list[Undone]:
        """Undo transactions, the last one first. One whose items a failed one still holds is left for later."""
        undone: list[Undone] = []
        held: set[str] = set()
        for past in reversed(pasts):
            why = past.damage or ("a later one could not be undone" if past.touched() & held else "")
            result = _untouched(past, why) if why else self._open_and_undo(past)
            undone.append(result)
            if result["state"] == "incomplete":
                held |= past.touched()
        return undone

    def _open_and_undo(self, past: Past) -> Undone:
        try:
            journal = Journal(self._home.folder(past.id))
        except OSError as error:
            return _untouched(past, f"its journal cannot be written: {error.strerror}")
        return self.undo_one(past, journal)

    def undo_one(self, past: Past, journal: Journal) -> Undone:
        """Undo one transaction, whose journal is closed then."""
        try:
            noted = self._note(journal, "UNDOING")
            steps = self._undo.steps(past, journal, self._since(past))
            failed = any(item["outcome"] == "failed" for step in steps for item in step["items"].values())
            state = "incomplete" if failed else "reverted" if past.committed else "rolled_back"
            word = {"incomplete": "INCOMPLETE", "reverted": "REVERTED", "rolled_back": "ABORT"}[state]
            # What is not in the journal is to be done, and so settled, once more.
            state = state if self._note(journal, word) and noted else "incomplete"
        finally:
            journal.close()
        if not failed:
            journal.free_reserve()
        if past.begin.get("confirm_within_s"):
            disarm(self._tree, past.id)
        return {"transaction": past.id, "state": state, "steps": steps}

    def _note(self, journal: Journal, word: str) -> bool:
        try:
            journal.write(word, at=time.time_ns())
        except OSError:
            return False
        return True

    def _since(self, past: Past) -> dict[str, list[Any]]:
        """Return what later transactions that did this one's source again found, in this boot, by item."""
        found: dict[str, list[Any]] = {}
        for other in self._home.transactions():
            if (
                other.number <= past.number
                or other.source != past.source
                or other.begin.get("boot_id") != self._boot_id
            ):
                continue
            for step in other.steps.values():
                for item, before in step.before.items():
                    found.setdefault(item, []).append(before)
        return found

    def _is_left_over(self, past: Past) -> bool:
        return past.state in {"open", "incomplete"} or expired(past, self._boot_id)

    def _forget_repetitions(self) -> None:
        """Forget what was done again in another boot: its values went with that."""
        for past in self._home.transactions():
            if past.again and past.begin.get("boot_id") != self._boot_id:
                self._home.drop(past.id)


def _untouched(past: Past, why: str) -> Undone:
    return {"transaction": past.id, "state": "incomplete", "steps": [], "why": why}


def expired(past: Past, boot_id: str) -> bool:
    """Tell whether a transaction should have been confirmed by now; its clock went with its boot."""
    if past.state != "unconfirmed":
        return False
    other_boot = past.begin.get("boot_id") != boot_id
    return other_boot or time.clock_gettime_ns(time.CLOCK_BOOTTIME) >= int(past.begin["confirm_by_boottime_ns"])
