"""``place status``: the rules and pins of each node beside the threads that are there now. Nothing is changed."""

__all__ = ["NodePlaced", "PlaceStatus", "placed_rows", "places_of", "status_of_places"]

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sparktune.errors import ExitCode, HostError, NodeError
from sparktune.flows.look import Look, looking
from sparktune.flows.one_host import shown_once
from sparktune.host.pinning.rows import Pinned, pinned_of, rule_reads, rule_rows
from sparktune.host.pinning.unended import unended_of, unended_rows
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.readable import ReadableNode
from sparktune.model.pin import RuleRow
from sparktune.model.transaction import Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePlaced:
    """One node: its transactions of ``place pin`` that hold, and a row for each rule, pin and timer.

    ``unended`` are those that broke off, and the one that is at work now; each has a row, too.
    """

    node: str
    pinned: tuple[Pinned, ...] = ()
    unended: tuple[str, ...] = ()
    rows: tuple[RuleRow, ...] = ()
    failure: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceStatus:
    """All nodes in their order. ``notes`` say which names are left out, since they are another one's host."""

    nodes: tuple[NodePlaced, ...]
    notes: tuple[str, ...] = ()

    @property
    def exit_code(self) -> ExitCode:
        """FAILED when a node did not answer, DIFFERENCES when something is otherwise than wanted, else DONE."""
        if any(node.failure for node in self.nodes):
            return ExitCode.FAILED
        differs = any(row.state.differs for node in self.nodes for row in node.rows)
        return ExitCode.DIFFERENCES if differs else ExitCode.DONE


def status_of_places(targets: Sequence[NodeTarget]) -> PlaceStatus:
    """Ask all nodes at once. Only root may read the journal: without it a node has a ``failure``."""
    return asyncio.run(_hosts_once(targets))


async def placed_rows(session: ReadableNode, transactions: Sequence[Transaction], boot_id: str) -> tuple[RuleRow, ...]:
    """Return the rows of a node whose journal is known; a node where nothing is pinned is not asked."""
    pinned = pinned_of(transactions, boot_id)
    return rule_rows(pinned, await session.observe(rule_reads())) if pinned else ()


async def places_of(targets: Sequence[NodeTarget], look: Look | None = None) -> PlaceStatus:
    """Ask all nodes at once, as ``status_of_places`` does, in a loop that runs already."""
    async with looking(look) as shared:
        answers = await shared.each(targets, lambda target: _placed(shared.of(target)))
    return PlaceStatus(
        nodes=tuple(
            NodePlaced(node=target.name, failure=str(answer), hint=answer.hint)
            if isinstance(answer, NodeError | HostError)
            else answer
            for target, answer in zip(targets, answers, strict=True)
        )
    )


async def _hosts_once(targets: Sequence[NodeTarget]) -> PlaceStatus:
    async with Look() as look:
        hosts, notes = await shown_once(targets, look)
        return replace(await places_of(hosts, look), notes=notes)


async def _placed(session: ReadableNode) -> NodePlaced:
    hello, journal = await session.hello(), await session.journal()
    pinned = pinned_of(journal.transactions, hello.boot_id)
    rows = rule_rows(pinned, await session.observe(rule_reads())) if pinned else ()
    unended = tuple(one.id for one in unended_of(journal.transactions))
    rows = (*unended_rows(journal.transactions, journal.holder), *rows)
    return NodePlaced(node=session.target.name, pinned=pinned, unended=unended, rows=rows)
