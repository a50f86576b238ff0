"""Read the items of steps back on their node: as the steps want them, or as they were before all steps."""

__all__ = ["read_steps"]

from collections.abc import Mapping

from sparktune.io.cluster import NodeTarget
from sparktune.io.launching.live import Reads
from sparktune.io.launching.originals import Look, keep, known_originals, look
from sparktune.io.launching.record import Record
from sparktune.io.launching.step_items import Item, same_value
from sparktune.model.launcher import LiveSteps
from sparktune.model.observed import State


async def read_steps(reader: LiveSteps, target: NodeTarget, record: Record) -> Reads:
    """Compare every item with what is wanted of it. Raises NodeError."""
    seen = await look(target, reader.steps)
    where = f"{reader.node}: " if reader.node else ""
    wanted = {item.name: item.wanted for item in seen.items}
    wrong: list[str] = []
    if reader.undone:
        wrong += _same_arms(where, seen)
        keep(record, reader.node, seen)  # nothing has been applied yet when they are not known
        wanted = dict(known_originals(record, reader.node, seen.boot))
    wrong += [text for item in seen.items if (text := _wrong(where, item, wanted))]
    return Reads(
        values={where + item.name: item.found.value for item in seen.items if item.found.value is not None},
        wanted={where + item.name: wanted.get(item.name, "?") for item in seen.items},
        wrong="; ".join(wrong),
    )


def _wrong(where: str, item: Item, wanted: Mapping[str, str]) -> str:
    name = where + item.name
    if item.found.state is State.ABSENT:
        return f"{name} is not there"
    if item.found.value is None:
        return f"{name} cannot be read: {item.found.why}"
    if item.name not in wanted:
        return f"{name}: what it was before is not known"
    if not same_value(item.found.value, wanted[item.name], item.form):
        return f"{name} is {item.found.value or 'empty'}, not {wanted[item.name]}"
    return ""


def _same_arms(where: str, seen: Look) -> list[str]:
    """Say that the steps would change nothing: then there is no other arm."""
    known = [item for item in seen.items if item.found.value is not None]
    if known and all(same_value(item.found.value or "", item.wanted, item.form) for item in known):
        return [f"{where}all is as the other arm wants it, without its steps"]
    return []
