"""What the items of hot steps were before an experiment first touched them, so that "as it was" can be read back."""

__all__ = ["Look", "keep_originals", "known_originals", "look"]

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sparktune.io.cluster import NodeTarget
from sparktune.io.launching.record import Record
from sparktune.io.launching.step_items import Item, items_of, reads_of
from sparktune.io.transport.session import NodeSession
from sparktune.model.step import Step


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """The items of steps on a node, and the boot in which they were seen."""

    boot: str
    items: tuple[Item, ...]


async def look(target: NodeTarget, steps: Sequence[Step]) -> Look:
    """Read every item of the steps on the node. Raises NodeError."""
    async with NodeSession(target) as node:
        hello, readings = await node.greet_and_observe(reads_of(steps))
    return Look(boot=hello.boot_id, items=items_of(steps, readings))


async def keep_originals(record: Record, node: str, target: NodeTarget, steps: Sequence[Step]) -> None:
    """Remember what the items of steps are, unless that is known of this boot."""
    keep(record, node, await look(target, steps))


def keep(record: Record, node: str, seen: Look) -> None:
    """Remember items that were not known before; what was there in another boot says nothing of this one."""
    known = dict(known_originals(record, node, seen.boot))
    new = {
        item.name: item.found.value for item in seen.items if item.name not in known and item.found.value is not None
    }
    if new:
        record.originals[node] = {"boot": seen.boot, "items": {**known, **new}}
        record.save()


def known_originals(record: Record, node: str, boot: str) -> Mapping[str, str]:
    """Return by item what was there first in this boot."""
    kept = record.originals.get(node, {})
    return dict(kept["items"]) if kept.get("boot") == boot else {}
