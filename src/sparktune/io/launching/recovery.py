"""After a crash: find what is still running or applied by the record, stop and undo exactly that."""

__all__ = ["Recovered", "recover"]

from dataclasses import dataclass

from sparktune.errors import SparktuneError
from sparktune.io.http.address import parse_address
from sparktune.io.launching.action_json import decode_actions
from sparktune.io.launching.ending import find_all
from sparktune.io.launching.nodes import undo_entry
from sparktune.io.launching.performer import Performer
from sparktune.io.launching.programs import Programs, end_entry
from sparktune.io.launching.record import Record
from sparktune.io.launching.settings import HoldSettings
from sparktune.io.launching.words import Words


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovered:
    """What was found after a crash: ``done`` says what was stopped or undone, ``left`` what could not be and why."""

    done: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


async def recover(record: Record, settings: HoldSettings) -> Recovered:
    """Go through the record, the newest first; what cannot be taken back does not keep the rest."""
    done: list[str] = []
    left: list[str] = []
    for entry in record.running:
        found = find_all(entry.mine)
        try:
            said = await end_entry(entry, settings)
        except SparktuneError as error:
            left.append(str(error))
            continue
        record.change_process(entry.mark, state="ended")
        if found:
            pids = ", ".join(f"pid {one.pid}" for one in found)
            done.append(f"ended {entry.command} of arm {entry.arm} ({pids})" + (f": {said}" if said else ""))
    await _leave(record, settings, done, left)
    for node in record.standing:
        try:
            done += await undo_entry(node, settings.who, record.put_node)
        except SparktuneError as error:
            left.append(str(error))
            continue
        now = next(one for one in record.nodes if (one.plan, one.before) == (node.plan, node.before))
        if now.state == "undone":
            done.append(f"{node.target.name}: undid transaction {now.transaction}")
    if not left:
        record.set_arm("")
    return Recovered(done=tuple(done), left=tuple(left))


async def _leave(record: Record, settings: HoldSettings, done: list[str], left: list[str]) -> None:
    """End the service of the arm that was being set or held."""
    if not record.leaving:
        return
    words = Words(settings.environment)
    performer = Performer(settings, words, record, Programs(settings, parse_address(settings.base_url), words, record))
    for action in decode_actions(record.leaving):
        try:
            await performer.perform(action, ())
        except SparktuneError as error:
            left.append(str(error))
            return
    record.set_leaving(())
    done += [f"ended the service of arm {record.arm}", *performer.notes]
