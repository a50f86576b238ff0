"""Hold steps on one node, with no server beside them: apply, read back, take back; and after a crash take back.

The same record, transactions and originals as those of ``hold.py``: everything is remembered before it is had.
"""

__all__ = ["StepsHold", "take_back"]

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sparktune.errors import ArmFailed, SparktuneError
from sparktune.io.cluster import NodeTarget
from sparktune.io.launching.nodes import apply_steps, undo_entry
from sparktune.io.launching.originals import keep_originals, known_originals, look
from sparktune.io.launching.record import Record
from sparktune.io.launching.step_items import same_value
from sparktune.io.launching.unbroken import unbroken
from sparktune.model.observed import State
from sparktune.model.step import Step

Remember = Callable[[Mapping[str, Any]], None]


class StepsHold:
    """``remember`` keeps the record durably before it returns. What begins comes to its end, also when cancelled."""

    def __init__(self, target: NodeTarget, steps: Sequence[Step], who: str, remember: Remember) -> None:
        """Touch nothing."""
        self._target, self._steps, self._who = target, tuple(steps), who
        self._record = Record(remember, None)

    async def set(self, *, applied: bool) -> bool:
        """Have the steps applied, or all as it was before, and see that it is so; False when an item is gone.

        Raises ArmFailed when it is not so, NodeError and HostError; what was applied then stands until ``release``.
        """
        await self.release()
        await unbroken(keep_originals(self._record, self._target.name, self._target, self._steps))
        if applied:
            await unbroken(self._apply())
        return await self._see(applied=applied)

    async def release(self) -> tuple[str, ...]:
        """Take back what stands; safe to call twice. Return what somebody else had changed, and was left.

        Raises ArmFailed, NodeError, HostError when it cannot be taken back.
        """
        return await unbroken(self._release())

    async def _apply(self) -> None:
        await apply_steps(self._target.name, self._target, self._steps, self._who, self._record.put_node)

    async def _release(self) -> tuple[str, ...]:
        notes: list[str] = []
        for entry in self._record.standing:
            notes += await undo_entry(entry, self._who, self._record.put_node)
        return tuple(notes)

    async def _see(self, *, applied: bool) -> bool:
        seen = await look(self._target, self._steps)
        before = known_originals(self._record, self._target.name, seen.boot)
        for item in seen.items:
            if item.found.state is State.ABSENT:
                return False
            wanted = item.wanted if applied else before.get(item.name, "")
            found = item.found.value or ""
            if not same_value(found, wanted, item.form):
                message = f"{item.name} has {found or '(not told)'}, not {wanted or '(not known)'}"
                raise ArmFailed(message, hint="its cpuset does not allow it, or another program sets it, too")
        return True


async def take_back(
    content: Mapping[str, Any], who: str, remember: Remember
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Undo what a killed trial left; return what was done, and what could not be and why."""
    record = Record(remember, content)
    done: list[str] = []
    left: list[str] = []
    for entry in record.standing:
        try:
            done += await unbroken(undo_entry(entry, who, record.put_node))
        except SparktuneError as error:
            left.append(str(error))
            continue
        done.append(f"{entry.target.name}: the CPUs are as they were")
    return tuple(done), tuple(left)
