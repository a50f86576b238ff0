"""Hold an arm: set it, read it back, release it; and after a crash find what is left and take back exactly that.

Use: ``hold = Hold(settings, remember=..., ask=...)``; per visit ``await hold.set_arm("A", plan)``, ``reading = await
hold.read_live(plan)``, the trials, ``read_live`` again, ``await hold.release()``. In the end, or when something goes
wrong, ``await hold.release()`` and ``await hold.perform(launcher.original(arms))``. After a crash ``await
Hold.recover(record, settings, remember=...)`` with the last record that was remembered, then ``perform`` of the
original by a new Hold that goes on with the record.
"""

__all__ = ["Ask", "Hold", "HoldSettings", "Recovered", "Remember"]

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sparktune.errors import AddressTaken, ArmFailed, BootDue, NotStarted
from sparktune.io.http.address import parse_address
from sparktune.io.launching.action_json import decode_actions, encode_actions
from sparktune.io.launching.live import together
from sparktune.io.launching.performer import Ask, Performer
from sparktune.io.launching.proc import boot_id
from sparktune.io.launching.programs import Programs
from sparktune.io.launching.reader import Reader
from sparktune.io.launching.reading import LiveReading
from sparktune.io.launching.record import Record
from sparktune.io.launching.recovery import Recovered, recover
from sparktune.io.launching.services import services_of
from sparktune.io.launching.settings import HoldSettings
from sparktune.io.launching.unbroken import unbroken
from sparktune.io.launching.words import Words
from sparktune.model.arm_action import Action, KillService, Reboot
from sparktune.model.launcher import ArmPlan

Remember = Callable[[Mapping[str, Any]], None]
"""Keep this record durably before returning; it replaces the one before. It is JSON and holds no secret."""


class Hold:
    """One arm at a time. Every effect is remembered before it is had and after it."""

    def __init__(
        self,
        settings: HoldSettings,
        *,
        remember: Remember,
        ask: Ask | None = None,
        record: Mapping[str, Any] | None = None,
    ) -> None:
        """Touch nothing. ``ask`` is None where nobody can be asked; ``record`` is that of a run that is resumed."""
        self._settings = settings
        self._address = parse_address(settings.base_url)
        self._words = Words(settings.environment)
        self._record = Record(remember, record)
        self._programs = Programs(settings, self._address, self._words, self._record)
        self._performer = Performer(settings, self._words, self._record, self._programs, ask=ask)
        self._held: ArmPlan | None = None
        self._reader = Reader(settings, self._words, self._record, self._programs)

    def bring_back_anyway(self) -> None:
        """From now on what is held is given back, also when that cannot be remembered: the disk of the store is full.

        What was remembered before holds more than there is then, and taking it back again harms nothing.
        """
        self._record.anyway = True

    def state(self) -> Mapping[str, Any]:
        """Return the record of everything that was touched, as ``remember`` gets it."""
        return self._record.as_json()

    @property
    def notes(self) -> tuple[str, ...]:
        """What has to be said of this visit, and of how the one before it ended: memory that did not come back, a kill.

        They are forgotten when what is held is released.
        """
        return (*self._programs.notes, *self._performer.notes)

    async def set_arm(self, arm: str, plan: ArmPlan) -> None:
        """Release what is held, then carry out the plan's actions.

        Raises BootDue when they count only after a boot of this machine: then all stays as it is, and ``after_boot``
        goes on with it.

        Raises NotStarted (a program that ended, or does not answer), AddressTaken, ArmFailed (what cannot be stopped),
        UsageError (a variable that is not set, nobody to ask), NodeError and HostError. What was begun is
        released before it raises.
        """
        await self.release()
        await self._performer.services.before_start(services_of(plan))
        self._record.set_arm(arm)
        self._record.set_leaving(plan.leave)
        self._held = plan
        try:
            await self.perform(plan.actions)
        except AddressTaken:
            await self.release()
            raise
        except ArmFailed as error:
            explained = await self._performer.health.explained(error, services_of(plan))
            await self.release()
            raise NotStarted(str(explained), hint=explained.hint) from error
        except BootDue:
            self._record.set_booting(boot_id())
            raise
        except BaseException:
            await self.release()
            raise

    async def after_boot(self, plan: ArmPlan) -> None:
        """Go on with an arm that was set before this machine booted. Raises as ``set_arm``; it is released then."""
        self._held = plan
        booted = max((place for place, action in enumerate(plan.actions) if isinstance(action, Reboot)), default=-1)
        try:
            await self.perform(plan.actions[booted + 1 :])
        except BaseException:
            await self.release()
            raise
        self._record.set_booting("")

    async def kill(self) -> None:
        """End the server of the arm that is held within a second or so, to save its host; ``release`` is still due.

        Raises as ``release``.
        """
        if self._held is not None:
            killing = [action.service for action in self._held.kill if isinstance(action, KillService)]
            await unbroken(self._performer.services.kill(killing))
            await self.perform([action for action in self._held.kill if not isinstance(action, KillService)])
        await unbroken(self._programs.kill())

    async def read_live(self, plan: ArmPlan) -> LiveReading:
        """Ask every reader of the plan; what cannot be read is not live, and the reading says why."""
        return together([await self._reader.read(reader) for reader in plan.readers])

    def ended(self) -> str:
        """Return how the started server has ended, with the last lines of its log; "" while it runs, or none was."""
        return self._performer.ended()

    async def release(self) -> None:
        """Stop what was started and undo what was applied; safe to call twice, and when nothing is held.

        Once begun it comes to its end, also when the task is cancelled. Raises ArmFailed when something of ours does
        not end or something still answers; NodeError, HostError.
        """
        await unbroken(self._release())

    async def perform(self, actions: Sequence[Action]) -> None:
        """Carry out single actions, for instance those that bring back the original. Raises as ``set_arm``."""
        parts = () if self._held is None else services_of(self._held)
        for action in actions:
            await self._performer.perform(action, parts)

    def keep_original(self, actions: Sequence[Action], *, begins: bool) -> tuple[Action, ...]:
        """Return what brings back what ran before: what is remembered, else these actions.

        With ``begins`` they are remembered now: the experiment is about to end what runs, and after a crash nobody can
        see any more what that was.
        """
        if self._record.bringing_back is None:
            if not begins:
                return tuple(actions)
            self._record.bringing_back = encode_actions(actions)
            self._record.save()
        return decode_actions(self._record.bringing_back)

    @classmethod
    async def recover(cls, record: Mapping[str, Any], settings: HoldSettings, *, remember: Remember) -> Recovered:
        """Find what a crashed run left running or applied, stop and undo exactly that; safe to call again.

        A process is ours when its number and start time are those of the record, or when its environment has the mark
        that the record names: nothing is ever known by its name. It is taken back also when that cannot be remembered.
        """
        found = Record(remember, record)
        found.anyway = True
        return await unbroken(recover(found, settings))

    async def _release(self) -> None:
        if self._programs.server is not None or self._record.standing or self._record.leaving:
            self._programs.notes.clear()
            self._performer.notes.clear()
        try:
            await self._leave()
        finally:
            await self._performer.undo_all("")
        self._record.set_booting("")
        self._record.set_arm("")

    async def _leave(self) -> None:
        try:
            await self._programs.stop()
        finally:
            parts = () if self._held is None else services_of(self._held)
            await self._performer.leave(decode_actions(self._record.leaving), parts)
        self._record.set_leaving(())
        self._held = None
