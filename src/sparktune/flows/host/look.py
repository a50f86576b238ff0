"""See a node as the changes of a profile need it: its facts, then what they want to know beside these."""

__all__ = ["Seen", "failed", "look", "see", "seen_once", "view_of"]

from dataclasses import dataclass

from sparktune.errors import HostError, NodeError
from sparktune.flows.look import Look
from sparktune.host.changes import change_reads
from sparktune.host.facts import all_reads, read_facts
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.readable import ReadableNode
from sparktune.model.host_plan import HostView
from sparktune.model.node import NodeFacts
from sparktune.model.node_report import NodeReport
from sparktune.model.profile import Profile
from sparktune.model.reads import Readings
from sparktune.units import Nanoseconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A node's facts, the boot in which they were so, and when that was by the node's wall clock."""

    facts: NodeFacts
    boot_id: str
    wall_ns: Nanoseconds


async def see(node: ReadableNode) -> Seen:
    """Ask a node for all facts, in one round trip."""
    hello, readings = await node.greet_and_observe(all_reads())
    return Seen(facts=read_facts(node.target.name, readings), boot_id=hello.boot_id, wall_ns=hello.wall_ns)


async def seen_once(look: Look, target: NodeTarget) -> Seen:
    """Return what ``see`` does, asked once in a look. Raises NodeError."""
    return await look.once(_see, target)


async def _see(look: Look, target: NodeTarget) -> Seen:
    return await see(look.of(target))


async def view_of(node: ReadableNode, seen: Seen, profile: Profile, applied_boot: str | None = None) -> HostView:
    """Ask for what the profile's changes want to know beside the facts, if anything."""
    reads = change_reads(seen.facts, profile)
    readings = await node.observe(reads) if reads else Readings()
    return HostView(
        facts=seen.facts, profile=profile, readings=readings, boot_id=seen.boot_id, applied_boot=applied_boot
    )


async def look(node: ReadableNode, profile: Profile, applied_boot: str | None = None) -> HostView:
    """Do both."""
    return await view_of(node, await see(node), profile, applied_boot)


def failed(name: str, error: NodeError | HostError) -> NodeReport:
    """Return the report of a node that did not answer, or refused; nothing was done to it."""
    return NodeReport(node=name, failure=str(error), hint=error.hint)
