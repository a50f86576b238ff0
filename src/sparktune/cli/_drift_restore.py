"""Put ``sparktune drift restore`` together: the entry that is meant, plan, question, proof, and the rows after it."""

__all__ = ["RestoreArguments", "run_restore"]

import asyncio
import os
import sys
from collections.abc import Coroutine
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import typer

from sparktune.cli._ab.terminal import hangup_as_interrupt, sigterm_as_cancel
from sparktune.cli._drift import DriftArguments, wish_of
from sparktune.cli._host.ask import agreed, check_can_ask, who
from sparktune.cli._terminal import colour_wanted, columns, fitted
from sparktune.drift.earned_keys import entries_called, is_called, names_of
from sparktune.drift.earned_scope import entries_for
from sparktune.errors import ExitCode, UsageError
from sparktune.flows.drift import DriftWish, drift_rows, observe_drift
from sparktune.flows.drift_restore import UNDO, RestorePlan, carry_out, plan_restore, take_back
from sparktune.io.earned import find_earned, read_earned
from sparktune.io.launching.settings import HoldSettings
from sparktune.io.restores import RestoreFolder, left_restores, restore_folder
from sparktune.model.earned import EarnedEntry
from sparktune.report.drift.restore import restore_text
from sparktune.report.drift.text import drift_text

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreArguments:
    """The flags as they were given; ``key`` "" goes with ``undo``."""

    key: str = ""
    drift: DriftArguments = field(default_factory=DriftArguments)
    yes: bool = False
    dry_run: bool = False
    undo: bool = False


def run_restore(arguments: RestoreArguments) -> None:
    """Restore one setting, or take back what a killed restore left. Raises UsageError and what nodes raise."""
    wish = wish_of(arguments.drift, earned=not arguments.undo)
    folder = restore_folder(wish.place.name, wish.place.endpoint, wish.place.where)
    if arguments.undo:
        _take_back(wish, _left_folder(wish, folder), arguments)
        return
    if not arguments.key:
        message = "which setting is to be restored is not said"
        raise UsageError(message, hint="see what has drifted with: sparktune drift; then name its setting")
    if not arguments.dry_run:
        check_can_ask(yes=arguments.yes)
    _refuse_leftovers(_left_folder(wish, folder))
    entry = _entry(wish, arguments)
    settings = _settings(wish, folder)
    plan = asyncio.run(plan_restore(arguments.key, wish.place, entry, settings))
    text = fitted(restore_text(_title(plan), plan.planner.begin(), plan.arm, plan.why_anew))
    if arguments.dry_run:
        sys.stdout.write(text)
        sys.stderr.write("--dry-run: nothing was changed\n")
        return
    sys.stderr.write(text)
    if not agreed("Restore it?", yes=arguments.yes):
        sys.stderr.write("nothing was changed\n")
        return
    _carry_out(plan, settings, folder, wish)


def _carry_out(plan: RestorePlan, settings: HoldSettings, folder: RestoreFolder, wish: DriftWish) -> None:
    with folder.owned():
        # Another restore may have begun, and been killed, since the plan was made.
        _refuse_leftovers(_left_folder(wish, folder))
        result = _worked(carry_out(plan, settings, folder, _say))
    for note in result.notes:
        _say(note)
    if not result.proven:
        sys.stderr.write(f"{plan.key} was not restored: {result.seen}\n{result.undone}\n")
        raise typer.Exit(int(ExitCode.FAILED))
    sys.stderr.write(f"{plan.key} is restored and live: {result.seen}\n")
    names = names_of(plan.entry)
    rows = [
        row
        for row in drift_rows(asyncio.run(observe_drift(wish)))
        if any(is_called(name, row.key) for name in (plan.key, *names))
    ]
    sys.stdout.write(drift_text(rows, everything=True, width=columns(), color=colour_wanted()))


def _take_back(wish: DriftWish, folder: RestoreFolder, arguments: RestoreArguments) -> None:
    record = folder.read()
    if record is None:
        sys.stderr.write("nothing of a restore is left here; nothing was touched\n")
        return
    if not agreed(
        f"Take back the restore of {record.key} of service {record.service or record.endpoint}?", yes=arguments.yes
    ):
        sys.stderr.write("nothing was changed\n")
        return
    with folder.owned():
        if folder.read() != record:  # it may have ended well while the question stood
            message = f"the restore of {record.key} has gone on since it was looked at; nothing was touched"
            raise UsageError(message, hint=f"look first: sparktune drift; then, if need be: {UNDO}")
        there = replace(wish, place=replace(wish.place, endpoint=record.endpoint))
        said = _worked(take_back(record, _settings(there, folder), folder, _say))
    sys.stderr.write(f"{said}\n")


def _worked(work: Coroutine[Any, Any, _T]) -> _T:
    with hangup_as_interrupt():
        return asyncio.run(sigterm_as_cancel(work))


def _left_folder(wish: DriftWish, folder: RestoreFolder) -> RestoreFolder:
    """Return where a restore of this service is left: also when sparktune.yaml says another place of it since."""
    if folder.read() is not None:
        return folder
    return next((one for one, record in left_restores() if record.is_of(wish.place)), folder)


def _refuse_leftovers(folder: RestoreFolder) -> None:
    record = folder.read()
    if record is not None:
        message = f"a restore of {record.key} did not end: it runs now, or it was killed"
        raise UsageError(message, hint=f"wait for it; or take back what it left: {UNDO}")


def _entry(wish: DriftWish, arguments: RestoreArguments) -> EarnedEntry:
    """Return the newest entry of the file that is for this service and called so. Raises UsageError."""
    path = find_earned(Path(), arguments.drift.earned)
    mine = entries_for(wish.earned, wish.place, cluster=wish.cluster)
    entries = tuple(one for one in read_earned(path) if one.content in mine)
    found = entries_called(entries, arguments.key)
    if not found:
        message = f"{path} has nothing that this service earned and that is called {arguments.key!r}"
        known = ", ".join(dict.fromkeys(entry.knob for entry in entries)) or "nothing"
        raise UsageError(message, hint=f"it earned: {known}; see: sparktune earned list")
    return found[-1]


def _title(plan: RestorePlan) -> str:
    value = ", ".join(
        f"{name}={said}" for named in plan.planner.spec.arms["B"].values() for name, said in named.items()
    )
    evidence = plan.entry.evidence
    told = f"earned by run {evidence.run or '?'} on {evidence.date or '?'}"
    if evidence.practice:
        told = "a value for practice, which nobody measured"
    return f"{plan.place.name or plan.place.endpoint}: {value}, {told}"


def _settings(wish: DriftWish, folder: RestoreFolder) -> HoldSettings:
    if not wish.place.endpoint:
        message = "the address of the service is not known: whether it serves again could not be seen"
        raise UsageError(message, hint="say endpoint: of the service in sparktune.yaml, or give --url")
    return HoldSettings(
        base_url=wish.place.endpoint,
        log_folder=folder.logs,
        work_folder=Path.cwd(),
        environment=dict(os.environ),
        api_key=wish.targets.api_key,
        nodes=dict(wish.targets.nodes),
        who=f"{who()} (sparktune drift restore)",
    )


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
