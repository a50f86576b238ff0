"""Carry out a transaction: everything is looked at first, every prior is on the disk before its step is done."""

__all__ = ["Transaction"]

import json
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from sparktune.agent.failures import StepFailed
from sparktune.agent.home import Home
from sparktune.agent.interrupts import Interrupts
from sparktune.agent.journal import Journal
from sparktune.agent.kind import Items, Kind, Reading, Step
from sparktune.agent.machine import Machine
from sparktune.agent.past import past_from
from sparktune.agent.protocol import PROTOCOL
from sparktune.agent.recover import Recovery
from sparktune.agent.refusal import JOURNAL, REQUEST, VOID, Refused
from sparktune.agent.show import quoted, shown
from sparktune.agent.timer import arm, disarm

Request = dict[str, Any]
Answer = dict[str, Any]

_LEAST_RESERVE = 256 * 1024
_GOOD = ("changed", "already")
_NS = 1_000_000_000
_LONGEST_S = 365 * 86400.0  # of waiting to be confirmed


class _Failed(Exception):
    """A step did not come to what it should."""


class Transaction:
    """One request, for whoever holds the lock."""

    def __init__(self, machine: Machine, kinds: Mapping[str, Kind], home: Home, request: Request, boot_id: str) -> None:
        """Take it apart. Raises Refused when it is not understood."""
        self._machine, self._home, self._request, self._boot_id = machine, home, request, boot_id
        self._steps: list[Step] = _steps_of(request)
        unknown = sorted({str(step.get("kind")) for step in self._steps} - set(kinds))
        if unknown:
            raise Refused(REQUEST, f"this agent does not know steps of the kind {', '.join(unknown)}")
        self._kinds = [kinds[str(step["kind"])] for step in self._steps]
        self._found: list[Reading | None] = []
        self._parts: list[Answer] = []

    def run(self, archive: bytes, recovery: Recovery, interrupts: Interrupts) -> tuple[list[Answer], Answer]:
        """Do it; return a part per step, and how it ended. Raises Refused when nothing was done."""
        asked = self._request.get("boot_id")
        if asked and asked != self._boot_id:
            raise Refused(VOID, "the machine has been started again since it was looked at")
        readings = self._found = self._look()
        new_rule = self._has_new_rule()
        if self._fulfilled(readings) and not new_rule:
            parts = [self._part(i, _already(reading or {})) for i, reading in enumerate(readings)]
            return parts, {"transaction": "", "state": "committed", "failed": "", "undone": []}
        name, journal = self._begin(archive, readings)
        failed = self._do_all(journal, interrupts)
        if failed:
            undone = recovery.undo_one(past_from(name, journal.records), journal)
            end = {"transaction": name, "state": undone["state"], "failed": failed, "undone": undone["steps"]}
            return self._parts, end
        journal.close()
        if not (past_from(name, journal.records).touched() or new_rule or self._has_refused_again()):
            if self._request.get("confirm_within_s"):
                disarm(self._machine.tree, name)
            with suppress(Refused):  # it says of itself that it changed nothing
                self._home.drop(name)
            return self._parts, {"transaction": "", "state": "committed", "failed": "", "undone": []}
        state = "unconfirmed" if self._request.get("confirm_within_s") else "committed"
        return self._parts, {"transaction": name, "state": state, "failed": "", "undone": []}

    def _look(self) -> list[Reading | None]:
        """Look at everything and compare it with what the plan saw; what cannot be looked at yet is None."""
        readings: list[Reading | None] = []
        for kind, step in zip(self._kinds, self._steps, strict=True):
            expect = step.get("expect") or {}
            try:
                reading = kind.look(self._machine, step)
            except (StepFailed, OSError) as error:
                if expect:
                    raise Refused(VOID, f"what the plan saw cannot be looked at: {error}") from None
                readings.append(None)  # an earlier step may make it
                continue
            for item, was in expect.items():
                self._compare(kind, step, item, was, reading.get(item))
            readings.append(reading)
        return readings

    def _compare(self, kind: Kind, step: Step, item: str, was: str | None, now: Any) -> None:  # noqa: ANN401
        if kind.shown(now) == was or kind.reached(step, item, now):
            return
        # What is in a file stays there: it may be a secret.
        change = "" if kind.name == "file" else f": from {quoted(was)} to {quoted(shown(kind, now))}"
        raise Refused(VOID, f"{item} has changed since the plan was made{change}")

    def _fulfilled(self, readings: list[Reading | None]) -> bool:
        own = [i for i, kind in enumerate(self._kinds) if not kind.again(self._steps[i])]
        return bool(own) and all(self._is_reached(i, readings[i]) for i in own)

    def _is_reached(self, i: int, reading: Reading | None) -> bool:
        if not reading:  # of a device that is not there, which the step is to say
            return False
        return all(self._kinds[i].reached(self._steps[i], item, value) for item, value in reading.items())

    def _has_new_rule(self) -> bool:
        """Tell whether a step stands that no applied transaction has: it is kept, whatever it finds today."""
        new = [_rule(step) for kind, step in zip(self._kinds, self._steps, strict=True) if kind.stands(step)]
        if not new or self._request.get("of"):
            return False
        applied = [past for past in self._home.transactions() if past.applied and not past.again]
        known = [_rule(step) for past in applied for step in past.begin["steps"]]
        return any(rule not in known for rule in new)

    def _has_refused_again(self) -> bool:
        """Tell whether a rule that was done again was refused: that is kept, so as not to be tried again and again."""
        rules = [part for part in self._parts if self._kinds[part["step"]].stands(self._steps[part["step"]])]
        said = [one["outcome"] for part in rules for one in part["items"].values()]
        return bool(self._request.get("of")) and "refused" in said

    def _begin(self, archive: bytes, readings: list[Reading | None]) -> tuple[str, Journal]:
        request, within_s = self._request, float(self._request.get("confirm_within_s") or 0)
        name, journal = "", None
        try:
            name, journal = self._home.new()
            journal.reserve(max(_LEAST_RESERVE, 4 * len(json.dumps(readings))))
            journal.write(
                "BEGIN",
                at=time.time_ns(),
                boot_id=self._boot_id,
                confirm_within_s=within_s,
                confirm_by_ns=time.time_ns() + int(within_s * _NS) if within_s else 0,
                confirm_by_boottime_ns=time.clock_gettime_ns(time.CLOCK_BOOTTIME) + int(within_s * _NS),
                versions={"protocol": PROTOCOL, "python": sys.version.split()[0]},
                **{key: request.get(key, "") for key in ("label", "who", "plan", "of")},
                profile=request.get("profile") or {},
                steps=self._steps,
            )
            self._home.install(archive)
            if within_s:
                arm(self._machine.tree, self._home.archive, name, within_s)
        except (OSError, Refused) as error:
            self._forget(name, journal)
            if isinstance(error, Refused):
                raise
            raise Refused(JOURNAL, f"{self._home.path} cannot be written: {error.strerror}") from None
        return name, journal

    def _forget(self, name: str, journal: Journal | None) -> None:
        if journal is not None:
            journal.close()
        with suppress(Refused):  # nothing was done in it, which whoever comes next will find
            if name:
                self._home.drop(name)

    def _do_all(self, journal: Journal, interrupts: Interrupts) -> str:
        """Do every step; return why it ended before its end, "" when it did not."""
        for i, step in enumerate(self._steps):
            try:
                self._do(i, journal, interrupts)
            except (StepFailed, OSError, _Failed) as error:
                return f"step {i} ({step.get('change') or step['kind']}): {error}"
            except Exception as error:  # noqa: BLE001 - whatever it is, the machine is put back
                return f"step {i} ({step.get('change') or step['kind']}): {error!r}"
        try:
            journal.write("COMMIT", at=time.time_ns())
        except OSError as error:
            return f"the journal cannot be written: {error.strerror}"
        return ""

    def _do(self, i: int, journal: Journal, interrupts: Interrupts) -> None:
        kind, step = self._kinds[i], self._steps[i]
        if interrupts.name:
            message = f"interrupted by {interrupts.name}"
            raise _Failed(message)
        before = self._before(i)
        if self._needless(i, before):
            self._parts.append(self._part(i, _already(before)))
            return
        journal.write("PREPARE", step=i, before=before)
        items: Items = {}
        try:
            items = kind.do(self._machine, step, before)
        except BaseException as error:
            journal.write("FAILED", step=i, after=self._after_failure(i, before), items={}, why=str(error))
            raise
        after = kind.look_at(self._machine, step, before)
        self._read_back(i, items, after)
        self._parts.append(self._part(i, items, after))
        journal.write("DONE", step=i, after=after, items=items)
        bad = {item: said for item, said in items.items() if said["outcome"] not in _GOOD}
        if bad and not kind.lenient:
            raise _Failed("; ".join(f"{item}: {said.get('why') or said['outcome']}" for item, said in bad.items()))

    def _needless(self, i: int, before: Reading) -> bool:
        """Tell whether everything is so already, or a step that makes others count has nothing to make count."""
        if not self._kinds[i].again(self._steps[i]):
            return self._is_reached(i, before)
        others = [j for j in range(i) if not self._kinds[j].again(self._steps[j])]
        said = [item for j in others for item in self._parts[j]["items"].values()]
        return bool(others) and all(item["outcome"] == "already" for item in said)

    def _before(self, i: int) -> Reading:
        kind, step, found = self._kinds[i], self._steps[i], self._found[i]
        if found is not None and kind.finds_once(step):
            return kind.look_at(self._machine, step, found)
        return kind.look(self._machine, step)

    def _after_failure(self, i: int, before: Reading) -> Reading | None:
        try:
            return self._kinds[i].look_at(self._machine, self._steps[i], before)
        except (StepFailed, OSError):
            return None

    def _read_back(self, i: int, items: Items, after: Reading) -> None:
        """What was written, but is not so, is not said to be so."""
        kind, step = self._kinds[i], self._steps[i]
        if kind.eventual or kind.again(step):
            return
        for item, said in items.items():
            if said["outcome"] == "changed" and not kind.reached(step, item, after.get(item)):
                said.update(outcome="ineffective", why=said.get("why", "it was written, but is not so afterwards"))

    def _part(self, i: int, items: Items, after: Reading | None = None) -> Answer:
        said: dict[str, dict[str, Any]] = {item: dict(outcome) for item, outcome in items.items()}
        for item in said if after is not None else ():
            said[item]["found"] = shown(self._kinds[i], (after or {}).get(item))
        return {"step": i, "kind": self._steps[i]["kind"], "change": self._steps[i].get("change", ""), "items": said}


def _steps_of(request: Request) -> list[Step]:
    steps, within_s = request.get("steps"), request.get("confirm_within_s") or 0
    if not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
        raise Refused(REQUEST, "a transaction needs steps")
    if not isinstance(within_s, (int, float)) or not 0 <= within_s <= _LONGEST_S:
        raise Refused(REQUEST, f"no time to wait for: {within_s!r}")
    return steps


def _rule(step: Step) -> Step:
    """Return what of a step makes it the same rule: not what was seen when it was planned."""
    return {key: value for key, value in step.items() if key not in {"change", "expect"}}


def _already(reading: Reading) -> Items:
    return {item: {"outcome": "already"} for item in reading}
