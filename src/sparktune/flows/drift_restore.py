"""``drift restore``: set the value that was earned, start the service anew, see it live on every node; or take it back.

The same hands as an experiment's: a launcher plans arm B, a hold carries it out and remembers every effect before it is
had. What cannot be seen from inside the serving process is not restored: files go back byte for byte and the service is
started as before.
"""

__all__ = ["UNDO", "RestorePlan", "Restored", "carry_out", "plan_restore", "take_back"]

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import msgspec

from sparktune.deploy.arm_planner import ArmPlanner
from sparktune.errors import ChangeFailed, SparktuneError, StoreError, UsageError
from sparktune.io.launching.action_json import decode_actions
from sparktune.io.launching.hold import Hold, HoldSettings
from sparktune.io.launching.reading import LiveReading
from sparktune.io.launching.sight import see
from sparktune.io.launching.unbroken import unbroken
from sparktune.io.restores import RestoreFolder, RestoreRecord
from sparktune.model.drift import ServicePlace
from sparktune.model.earned import EarnedEntry
from sparktune.model.launcher import ArmPlan, ArmSpec

UNDO: Final = "sparktune drift restore --undo, with the same --service, or --launcher, --where and --url, if any"
"""The next step where something is left: the record of a restore is found by its service and place."""

RESTORABLE: Final = ("compose", "systemd", "sparkrun", "script")
_NAMED: Final = ("env", "flags", "keys", "options")
_ONLY_WHERE: Final = frozenset({"log"})  # what only reading a part knows


@dataclass(frozen=True, slots=True, kw_only=True)
class RestorePlan:
    """What restoring would do. ``why_anew`` says why what runs cannot be brought back exactly, "" when it can."""

    key: str
    place: ServicePlace
    entry: EarnedEntry
    planner: ArmPlanner
    why_anew: str = ""

    @property
    def arm(self) -> ArmPlan:
        """The plan of the earned value."""
        return self.planner.plan("B")

    @property
    def record(self) -> RestoreRecord:
        """What is kept of it before anything is touched."""
        spec = self.planner.spec
        return RestoreRecord(
            key=self.key,
            service=self.place.name,
            launcher=self.planner.launcher,
            where=tuple(dict(part) for part in spec.where),
            endpoint=spec.endpoint,
            value=dict(spec.arms["B"]),
            anew=spec.anew,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """How it ended. ``seen`` is what was read live; ``undone`` what was brought back where it is not ``proven``."""

    proven: bool
    seen: str
    undone: str = ""
    notes: tuple[str, ...] = ()


async def plan_restore(key: str, place: ServicePlace, entry: EarnedEntry, settings: HoldSettings) -> RestorePlan:
    """Look at the nodes and plan; nothing is touched. Raises UsageError for what cannot be restored, NodeError."""
    spec = ArmSpec(arms={"A": {}, "B": _arm(key, place, entry)}, where=_parts(place), endpoint=place.endpoint)
    planner = ArmPlanner(launcher=place.launcher, spec=spec)
    try:
        planner.check()
        try:
            return RestorePlan(key=key, place=place, entry=entry, planner=await _seen(planner, settings))
        except ValueError as error:
            why = str(error)
        # What runs is not what its files would start: the very thing that a restore is for.
        planner = await _seen(replace(planner, spec=replace(spec, anew=True)), settings)
    except ValueError as error:
        message = f"{key} cannot be restored: {error}"
        raise UsageError(message, hint="mend what it names, then do this again") from None
    return RestorePlan(key=key, place=place, entry=entry, planner=planner, why_anew=why)


async def carry_out(
    plan: RestorePlan, settings: HoldSettings, folder: RestoreFolder, say: Callable[[str], None]
) -> Restored:
    """Set it, see it live, and let it stay; else take it back. Raises ChangeFailed when that fails too.

    Whatever ends it in between, also Ctrl-C, is raised after everything was taken back.
    """
    hold = _begun(plan, settings, folder)
    try:
        say("ending the service as it runs")
        await hold.perform(plan.planner.begin())
        say("starting it with the earned value")
        await hold.set_arm("B", plan.arm)
        reading = await hold.read_live(plan.arm)
    except SparktuneError as error:
        undone = await unbroken(_undone(hold, folder, plan, str(error)))
        return Restored(proven=False, seen=str(error), undone=undone, notes=hold.notes)
    except BaseException:
        await unbroken(_undone(hold, folder, plan, "it was interrupted"))
        raise
    if not reading.ok:
        say(f"it is not live ({reading.why}): taking it back")
        undone = await unbroken(_undone(hold, folder, plan, reading.why))
        return Restored(proven=False, seen=reading.why, undone=undone, notes=hold.notes)
    notes = (*hold.notes, *reading.notes)
    return Restored(proven=True, seen=_words(reading), notes=(*notes, *_forgotten(folder)))


async def take_back(
    record: RestoreRecord, settings: HoldSettings, folder: RestoreFolder, say: Callable[[str], None]
) -> str:
    """Take back what a killed restore left, and return what is so now.

    Raises ChangeFailed when not all could be taken back, and what bringing the service back raises; the record stays.
    """
    remember = _rememberer(record, folder)
    if record.held:
        recovered = await Hold.recover(record.held, settings, remember=remember)
        for line in recovered.done:
            say(line)
        if recovered.left:
            message = f"not everything could be taken back: {'; '.join(recovered.left)}"
            raise ChangeFailed(message, hint=f"mend what it names, then again: {UNDO}")
    now = folder.read() or record
    hold = Hold(settings, remember=remember, record=now.held or None)
    hold.bring_back_anyway()
    original = decode_actions(now.held.get("bringing_back") or ())
    try:
        await hold.perform(original)
    except SparktuneError as error:
        raise _left(str(error), error) from error
    said = f"what the restore of {record.key} had set is taken back"
    again = ("the service was started again",) if original else ()
    return "; ".join((said, *again, *_forgotten(folder)))


def _begun(plan: RestorePlan, settings: HoldSettings, folder: RestoreFolder) -> Hold:
    """Return what holds the restore, once it is on the disk what brings back what runs. Raises StoreError."""
    hold = Hold(settings, remember=_rememberer(plan.record, folder))
    # After a kill nobody knows how far the end of it had come: it is ended once more, then brought back.
    try:
        hold.keep_original((*plan.planner.begin(), *plan.planner.original()), begins=True)
    except StoreError as error:
        message = f"{error}; nothing was changed"
        raise StoreError(message, hint=error.hint) from error
    return hold


def _rememberer(record: RestoreRecord, folder: RestoreFolder) -> Callable[[Mapping[str, Any]], None]:
    def remember(held: Mapping[str, Any]) -> None:
        folder.remember(msgspec.structs.replace(record, held=dict(held)))

    return remember


async def _undone(hold: Hold, folder: RestoreFolder, plan: RestorePlan, why: str) -> str:
    """Take it back, and return what is so now. Raises ChangeFailed, with why it had to be, when that fails, too."""
    hold.bring_back_anyway()
    try:
        await hold.release()
        await hold.perform(plan.planner.original())
    except SparktuneError as error:
        message = f"{plan.key} was not restored: {why}; and taking it back failed: {error}"
        raise _left(message, error) from error
    return "; ".join((await _as_before(hold, plan), *_forgotten(folder)))


async def _as_before(hold: Hold, plan: RestorePlan) -> str:
    if not plan.planner.original():
        return "the files are as they were; nothing ran before, and nothing does now"
    try:
        reading = await hold.read_live(plan.planner.plan("A"))
    except SparktuneError as error:
        reading = LiveReading(ok=False, why=str(error))
    if not reading.ok:
        return f"the files are as they were, and the service was started again; what it runs with now: {reading.why}"
    return f"the files are as they were, and the service runs as before: {_words(reading)}"


def _left(message: str, error: SparktuneError) -> ChangeFailed:
    """Return the error of a restore that is still there in part; its hint ends with what goes on taking it back."""
    return ChangeFailed(message, hint=f"{error.hint}; then: {UNDO}" if error.hint else UNDO)


def _forgotten(folder: RestoreFolder) -> tuple[str, ...]:
    """Remove the record of what has ended; return what has to be said where that fails: how it ended counts more."""
    try:
        folder.remember(None)
    except StoreError as error:
        return (f"{error} ({error.hint})",)
    return ()


def _words(reading: LiveReading) -> str:
    return ", ".join(f"{name} = {value}" for name, value in reading.values.items()) or "as wanted"


async def _seen(planner: ArmPlanner, settings: HoldSettings) -> ArmPlanner:
    found = planner.with_seen(await see(lambda seen: planner.with_seen(seen).reads(), settings))
    for arm in found.spec.arms:
        found.plan(arm)
    return found


def _parts(place: ServicePlace) -> tuple[dict[str, Any], ...]:
    return tuple({key: value for key, value in part.items() if key not in _ONLY_WHERE} for part in place.where)


def _arm(key: str, place: ServicePlace, entry: EarnedEntry) -> dict[str, Any]:
    """Return the settings that were earned, as a launcher of services takes them. Raises UsageError."""
    value = entry.value if isinstance(entry.value, Mapping) else {}
    if "steps" in value:
        message = f"{key} was earned as a change of a running machine, which no restart of a service brings back"
        raise UsageError(message, hint="see the machine with: sparktune host status; set it with: sparktune host apply")
    found = {kind: dict(value[kind]) for kind in _NAMED if isinstance(value.get(kind), Mapping) and value[kind]}
    if not found:
        message = f"{key} was earned as a whole command, and none of its settings alone"
        raise UsageError(
            message, hint="start the service by that command; it is shown by: sparktune earned show " + key
        )
    if place.launcher not in RESTORABLE:
        message = f"launcher {place.launcher or '(none)'} says nothing of how the service is started"
        hint = f"say launcher: and where: of the service in sparktune.yaml; launchers: {', '.join(RESTORABLE)}"
        raise UsageError(message, hint=hint)
    return found
