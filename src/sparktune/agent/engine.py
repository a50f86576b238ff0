"""The verbs that change a node, each under its lock; and what its journal tells."""

__all__ = ["Engine"]

import os
import time
from collections.abc import Callable, Mapping
from typing import Any

from sparktune.agent.following import crashed, spent, steps_to_follow
from sparktune.agent.give_up import give_up
from sparktune.agent.hello import hello
from sparktune.agent.home import Home
from sparktune.agent.interrupts import Interrupts
from sparktune.agent.journal import Journal
from sparktune.agent.kind import Kind
from sparktune.agent.lock import Lock
from sparktune.agent.machines import machine_of
from sparktune.agent.past import Past
from sparktune.agent.reapply import steps_to_do_again
from sparktune.agent.recover import Recovery
from sparktune.agent.refusal import BUSY, JOURNAL, ROOT, TRANSACTION, Refused
from sparktune.agent.steps import all_kinds
from sparktune.agent.telling import told
from sparktune.agent.timer import disarm, end_passes
from sparktune.agent.transaction import Transaction
from sparktune.agent.tree import Tree
from sparktune.agent.undo import Undo, Undone

Request = dict[str, Any]
Answer = dict[str, Any]
Answers = tuple[list[Answer], Answer]

_ALWAYS_S = 10 * 365 * 86400.0


class Engine:
    """The transactions of one node or tree. Every verb returns its parts and its end, or raises Refused."""

    def __init__(self, tree: Tree, archive: bytes, kinds: Mapping[str, Kind] | None = None) -> None:
        """Find out where things are; nothing is made."""
        self._tree, self._archive = tree, archive
        self._kinds = all_kinds() if kinds is None else kinds
        self._home, self._machine = Home(tree), machine_of(tree)
        self._needs_root = not tree.root and os.geteuid() != 0
        self._boot_id = str(hello(tree)["boot_id"])
        self._recovery = Recovery(tree, self._home, Undo(self._machine, self._kinds, self._boot_id), self._boot_id)

    @property
    def verbs(self) -> dict[str, Callable[[Request], Answers]]:
        """The verbs by their names on the wire."""
        return {
            "transact": self.transact,
            "confirm": self.confirm,
            "revert": self.revert,
            "give_up": self.give_up,
            "journal": self.journal,
        }

    def transact(self, request: Request) -> Answers:
        """Carry out a transaction, after those that crashed were rolled back."""
        label = str(request.get("label") or "transact")
        transaction = Transaction(self._machine, self._kinds, self._home, request, self._boot_id)
        lock = self._lock(request, label)
        self._home.prepare()
        with lock, Interrupts() as interrupts:
            recovered = self._recover()
            try:
                self._refuse_unconfirmed()
                parts, end = transaction.run(self._archive, self._recovery, interrupts)
            except Refused as error:
                raise _with_recovered(error, recovered) from None
        return parts, {**end, "recovered": recovered}

    def confirm(self, request: Request) -> Answers:
        """Keep a transaction that would have been undone."""
        with self._lock(request, "confirm"):
            past = self._find(str(request["transaction"]))
            if past.state == "unconfirmed":
                self._write_confirm(past)
                disarm(self._tree, past.id)
                return [], {"transaction": past.id, "state": "committed"}
        return [], {"transaction": past.id, "state": past.state}

    def revert(self, request: Request) -> Answers:
        """Undo one transaction, or all that are applied; before that, those that crashed."""
        wanted = str(request.get("transaction") or "")
        if not self._home.exists():
            if wanted:
                raise _no_such(wanted)
            return [], {"transactions": 0, "state": "nothing"}
        with self._lock(request, "revert"), Interrupts():
            if not wanted:
                end_passes(self._tree)
            undone = self._undo_one(wanted) if wanted else self._recovery.undo_all()
        state = "incomplete" if any(one["state"] == "incomplete" for one in undone) else "reverted"
        return undone, {"transactions": len(undone), "state": state if undone else "nothing"}

    def give_up(self, request: Request) -> Answers:
        """Let go of what of a transaction can never be undone, so that others may begin."""
        if not self._home.exists():
            raise _no_such(str(request["transaction"]))
        with self._lock(request, "give up"), Interrupts():
            return give_up(self._find, self._home, self._recovery, self._kinds, request)

    def folder(self, transaction: str) -> str:
        """Return where the journal of a transaction is."""
        return self._home.folder(transaction)

    def expire(self, transaction: str) -> Answers:
        """Undo a transaction that nobody has confirmed, however long others work here."""
        with self._lock({"who": "the clock", "wait_s": _ALWAYS_S}, "undo what was not confirmed"):
            undone = self._recovery.recover()  # it may have crashed before its end
            if self._find(transaction).state == "unconfirmed":
                undone += self._undo_one(transaction)
        return undone, {"transactions": len(undone), "state": undone[0]["state"] if undone else "nothing"}

    def unconfirmed(self, transaction: str) -> bool:
        """Tell whether a transaction is still open or waits to be confirmed."""
        return any(p.id == transaction and p.state in {"open", "unconfirmed"} for p in self._home.transactions())

    def reapply(self, request: Request) -> Answers:
        """Do again what a boot or a device that came back has undone, each transaction's steps as one of their own."""
        if not self._home.exists():
            return [], {"transactions": 0, "state": "nothing"}
        done: list[Answer] = []
        with self._lock(request, "reapply"), Interrupts() as interrupts:
            recovered = self._recover()
            applied = [past for past in self._home.transactions() if past.applied]
            follows = [name for name, kind in self._kinds.items() if kind.follows]
            for again in steps_to_do_again(applied, follows):
                asked = {"label": "reapply", "who": request.get("who", ""), **again}
                transaction = Transaction(self._machine, self._kinds, self._home, asked, self._boot_id)
                parts, end = transaction.run(self._archive, self._recovery, interrupts)
                done.append({**end, "of": again["of"], "steps": parts})
        failed = [one for one in done if one["failed"]]
        state = "incomplete" if failed else "committed"
        return done, {"transactions": len(done), "state": state, "recovered": recovered}

    def follow(self, request: Request) -> Answers:
        """Do rules again for threads that came: those that ``found`` names, unless somebody has done so meanwhile."""
        if not self._home.exists():
            return [], {"transactions": 0, "state": "nothing"}
        done: list[Answer] = []
        with self._lock(request, "follow"), Interrupts() as interrupts:
            self._home.clean()
            recovered = self._recovery.undo(crashed(self._home.transactions()))
            for again in steps_to_follow(self._home.transactions(), request["found"], self._boot_id):
                asked = {"who": request.get("who", ""), **again}
                transaction = Transaction(self._machine, self._kinds, self._home, asked, self._boot_id)
                parts, end = transaction.run(self._archive, self._recovery, interrupts)
                done.append({**end, "of": again["of"], "steps": parts})
            for name in spent(self._home.transactions(), self._kinds, self._machine, self._boot_id):
                self._home.drop(name)
        state = "incomplete" if any(one["failed"] for one in done) else "committed" if done else "nothing"
        return done, {"transactions": len(done), "state": state, "recovered": recovered}

    def journal(self, request: Request) -> Answers:
        """List the transactions, and say who works here now."""
        del request
        return [], told(self._tree, self._kinds)

    def _refuse_unconfirmed(self) -> None:
        waiting = [past for past in self._home.transactions() if past.state == "unconfirmed"]
        if waiting:
            raise Refused(BUSY, f"transaction {waiting[0].id} waits to be confirmed: confirm or revert it first")

    def _undo_one(self, transaction: str) -> list[Undone]:
        """Undo one transaction and where it was done again; before that, those that crashed."""
        self._find(transaction)
        recovered = self._recovery.recover()
        left = [past for past in self._home.transactions() if not past.over]
        return recovered + self._recovery.undo(_those_of(left, transaction))

    def _recover(self) -> list[Undone]:
        self._home.clean()
        recovered = self._recovery.recover()
        for one in recovered:
            if one["state"] == "incomplete":
                raise self._not_undone(one)
        return recovered

    def _not_undone(self, one: Undone) -> Refused:
        """Say why nothing may be begun; only what was tried, and failed, can be given up."""
        name = one["transaction"]
        said = f"transaction {name} could not be undone ({_why(one)}), its journal is in {self._home.folder(name)}"
        if one.get("why"):
            return Refused(JOURNAL, said)
        return Refused(TRANSACTION, f"{said}; when that will never be possible: revert --give-up {name}")

    def _lock(self, request: Request, what: str) -> Lock:
        if self._needs_root:
            raise Refused(ROOT, "this needs root")
        return Lock(self._tree, str(request.get("who") or "somebody"), what, float(request.get("wait_s") or 0))

    def _find(self, transaction: str) -> Past:
        for past in self._home.transactions():
            if past.id == transaction:
                return past
        raise _no_such(transaction)

    def _write_confirm(self, past: Past) -> None:
        try:
            journal = Journal(self._home.folder(past.id))
            try:
                journal.write("CONFIRM", at=time.time_ns())
            finally:
                journal.close()
        except OSError as error:
            raise Refused(JOURNAL, f"the journal of {past.id} cannot be written: {error.strerror}") from None


def _those_of(left: list[Past], wanted: str) -> list[Past]:
    """Return what has to be undone for one transaction: itself, and where it was done again. Raises Refused."""
    those = [past for past in left if past.applied and wanted in {past.id, past.source}]
    items: set[str] = set().union(*(past.touched() for past in those if past.id == wanted))
    first = min((past.number for past in those), default=0)
    for past in left:
        shared = items & past.touched()
        if past not in those and past.number > first and not past.again and shared:
            message = f"transaction {past.id} has changed {min(shared)} after {wanted}: revert that one first, or all"
            raise Refused(TRANSACTION, message)
    return those


def _why(undone: Undone) -> str:
    items = [(item, said) for step in undone["steps"] for item, said in step["items"].items()]
    failed = [f"{item}: {said.get('why', '')}" for item, said in items if said["outcome"] == "failed"]
    return str(undone.get("why") or next(iter(failed), "what was done could not be written down"))


def _with_recovered(error: Refused, recovered: list[Undone]) -> Refused:
    """Say what did happen, though what was asked for did not: it may be why that is refused."""
    if not recovered:
        return error
    names = ", ".join(one["transaction"] for one in recovered)
    return Refused(error.kind, f"{error} (first, what had not ended or was not confirmed was undone: {names})")


def _no_such(transaction: str) -> Refused:
    return Refused(TRANSACTION, f"there is no transaction {transaction!r}")
