"""Take a transaction back: what is as it was left becomes what it was before, and what somebody else changed stays.

Undoing can be killed and done again: an item that is as before needs nothing, and what was settled is in the journal.
"""

__all__ = ["Undo", "Undone"]

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from sparktune.agent.failures import SomethingElse, StepFailed
from sparktune.agent.journal import Journal
from sparktune.agent.kind import Kind, Reading
from sparktune.agent.machine import Machine
from sparktune.agent.past import Past, PastStep
from sparktune.agent.show import shown

Undone = dict[str, Any]
Result = dict[str, Any]

_UNKNOWN = "this agent does not know such a step"


class Undo:
    """``kinds`` by name; ``boot_id`` is this boot's: what was there in another boot means nothing for most kinds."""

    def __init__(self, machine: Machine, kinds: Mapping[str, Kind], boot_id: str) -> None:
        """Keep what is needed."""
        self._machine, self._kinds, self._boot_id = machine, kinds, boot_id

    def steps(self, past: Past, journal: Journal, since: Mapping[str, list[Any]]) -> list[Undone]:
        """Undo the steps, the last one first; those that only make others count come after all of them.

        ``since`` has, by item, what doing this transaction again found there: that is nobody else's edit either.
        """
        numbers = sorted(past.steps, reverse=True)
        last = [number for number in numbers if self._is_again(past.steps[number])]
        undone = [self._recorded(past, past.steps[n], journal, since) for n in numbers if n not in last]
        undone += [self._recorded(past, past.steps[n], journal, since) for n in last[::-1]]
        return [step for step in undone if step["items"]]

    def _recorded(self, past: Past, step: PastStep, journal: Journal, since: Mapping[str, list[Any]]) -> Undone:
        items = self._step(past, step, journal, since)
        if items:
            with suppress(OSError):  # it was done all the same, and doing it once more would find so
                journal.write("UNDO", step=step.number, items=items)
        kind, change = str(step.step.get("kind")), str(step.step.get("change", ""))
        return {"step": step.number, "kind": kind, "change": change, "items": {**step.settled, **items}}

    def _step(self, past: Past, step: PastStep, journal: Journal, since: Mapping[str, list[Any]]) -> dict[str, Result]:
        kind = self._kinds.get(str(step.step.get("kind")))
        todo = [item for item in reversed(step.before) if item not in step.settled and step.touched(item)]
        if not todo or kind is None:
            return {item: {"outcome": "failed", "why": _UNKNOWN} for item in todo}
        try:
            if kind.again(step.step):
                return self._again(kind, step, todo)
            another = past.begin.get("boot_id") != self._boot_id
            void = [item for item in todo if another and not kind.outlives(step.step, item)]
            left = [item for item in todo if item not in void]
            results = _Items(self._machine, kind, step, journal).put_back(left, since) if left else {}
            return results | {item: {"outcome": "void", "why": "it was of another boot"} for item in void}
        except Exception as error:  # noqa: BLE001 - whatever it is, the other steps are undone
            return {item: {"outcome": "failed", "why": _words(error)} for item in todo}

    def _again(self, kind: Kind, step: PastStep, todo: Iterable[str]) -> dict[str, Result]:
        items = kind.do(self._machine, step.step, kind.look(self._machine, step.step))
        results: dict[str, Result] = {}
        for item in todo:
            said = items.get(item, {"outcome": "changed"})
            good = said["outcome"] in {"changed", "already"}
            results[item] = {**said, "outcome": "restored" if good else "failed"}
        return results

    def _is_again(self, step: PastStep) -> bool:
        kind = self._kinds.get(str(step.step.get("kind")))
        return kind is not None and kind.again(step.step)


class _Items:
    """The items of one step, on their way back."""

    def __init__(self, machine: Machine, kind: Kind, step: PastStep, journal: Journal) -> None:
        self._machine, self._kind, self._past, self._journal = machine, kind, step, journal
        self._step = step.step

    def put_back(self, todo: list[str], since: Mapping[str, list[Any]]) -> dict[str, Result]:
        try:
            now = self._kind.look_at(self._machine, self._step, todo)
        except SomethingElse as error:
            results = {item: self._foreign(item, error.found) for item in todo}
        else:
            results = {item: self._put_back(item, now.get(item), since.get(item, [])) for item in todo}
        for item in todo:
            self._tidy(item, results[item])
        return self._checked(results)

    def _put_back(self, item: str, now: Any, since: list[Any]) -> Result:  # noqa: ANN401 - as in a reading
        kind, before = self._kind, self._past.before[item]
        if self._same(before, now):
            return {"outcome": "already"}
        if now is None and kind.lenient:
            return {"outcome": "gone"}
        if not self._ours(item, now, since):
            return self._foreign(item, shown(kind, now))
        try:
            self._with_reserve(item, before)
        except (StepFailed, OSError) as error:
            if kind.lenient and self._has_gone(item):  # at this very moment
                return {"outcome": "gone"}
            return self._with_values({"outcome": "failed", "why": str(error)}, item, now)
        return {"outcome": "restored"}

    def _has_gone(self, item: str) -> bool:
        try:
            return self._kind.look_at(self._machine, self._step, [item]).get(item) is None
        except (StepFailed, OSError):
            return False

    def _ours(self, item: str, now: Any, since: list[Any]) -> bool:  # noqa: ANN401 - as in a reading
        """Tell whether an item is as this transaction left it; of one that crashed, whether it is as it wanted it."""
        after = self._past.after
        lefts = [*([] if after is None or item not in after else [after[item]]), *since]
        if any(self._same(left, now) for left in lefts):
            return True
        known = self._past.done and not self._kind.eventual
        return not known and self._kind.reached(self._step, item, now)

    def _same(self, one: Any, other: Any) -> bool:  # noqa: ANN401 - as in a reading
        """Compare as the kind does; what it makes no sense of is the same as itself."""
        return one == other or self._kind.same(self._step, one, other)

    def _with_reserve(self, item: str, before: Any) -> None:  # noqa: ANN401 - as in a reading
        try:
            self._kind.put_back(self._machine, self._step, item, before)
        except (StepFailed, OSError):
            if not self._journal.free_reserve():  # it may have been a full disk
                raise
            self._kind.put_back(self._machine, self._step, item, before)

    def _tidy(self, item: str, result: Result) -> None:
        try:
            self._kind.tidy(self._machine, self._step, item, self._past.before[item])
        except (StepFailed, OSError) as error:
            result.update(outcome="failed", why=str(error))

    def _checked(self, results: dict[str, Result]) -> dict[str, Result]:
        """Look at what was put back: what is not so, is not said to be so."""
        put_back = [item for item, result in results.items() if result["outcome"] == "restored"]
        now: Reading = self._kind.look_at(self._machine, self._step, put_back) if put_back else {}
        for item in put_back:
            if self._kind.lenient and now.get(item) is None:
                results[item] = {"outcome": "gone"}
            elif not self._kind.eventual and not self._same(self._past.before[item], now.get(item)):
                failed = {"outcome": "failed", "why": "it was put back, but is not as before"}
                results[item] = self._with_values(failed, item, now.get(item))
        return results

    def _foreign(self, item: str, found: str | None) -> Result:
        wanted = shown(self._kind, self._past.before[item])
        return {"outcome": "foreign", "why": "somebody else changed it since", "found": found, "wanted": wanted}

    def _with_values(self, result: Result, item: str, now: Any) -> Result:  # noqa: ANN401 - as in a reading
        found, wanted = shown(self._kind, now), shown(self._kind, self._past.before[item])
        return {**result, "found": found, "wanted": wanted}


def _words(error: Exception) -> str:
    return str(error) if isinstance(error, (StepFailed, OSError)) else repr(error)
