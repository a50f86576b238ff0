"""``host verify`` and ``host status``: what is wanted beside what is so, and the journal. Nothing is changed."""

__all__ = ["status_all", "verify_all", "verify_waiting"]

from collections.abc import Sequence
from dataclasses import replace

from sparktune.errors import HostError, NodeError
from sparktune.flows.host.journal import applied_profile, held_entries, newest_applied, state_of, try_journal
from sparktune.flows.host.look import Seen, failed, see, seen_once, view_of
from sparktune.flows.host.outcome import HostOutcome
from sparktune.flows.look import Look, looking
from sparktune.flows.one_host import shown_once
from sparktune.flows.place.status import placed_rows
from sparktune.host.changes import verify_node
from sparktune.host.pinning.rows import rule_checks
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.changes_wire import Journal
from sparktune.io.transport.readable import ReadableNode
from sparktune.model.host_plan import HostCheck
from sparktune.model.node_report import NodeReport, NodeState
from sparktune.model.profile import Profile

_NOTHING = "no profile is applied here: only what waits for a reboot is told"
_ONLY_PLACES = "no profile is applied here: what place pin did is told, and what waits for a reboot"
_NOT_UNDERSTOOD = "the profile in the journal is none that this version understands: name one, or use that version"


async def verify_all(targets: Sequence[NodeTarget], profile: Profile | None) -> HostOutcome:
    """Verify all nodes at once, each host once."""
    async with Look() as look:
        hosts, notes = await shown_once(targets, look)

        async def verify(target: NodeTarget) -> NodeReport:
            return await _report(look.of(target), profile, await seen_once(look, target))

        return HostOutcome(verb="verify", reports=_reports(hosts, await look.each(hosts, verify)), notes=notes)


async def status_all(targets: Sequence[NodeTarget], look: Look | None = None) -> HostOutcome:
    """Ask all nodes at once, each host once; in a look that goes on what is known is not asked again, name by name."""
    async with looking(look) as shared:
        hosts, notes = (tuple(targets), ()) if look is not None else await shown_once(targets, shared)

        async def status(target: NodeTarget) -> NodeReport:
            return await shared.once(_status, target)

        return HostOutcome(verb="status", reports=_reports(hosts, await shared.each(hosts, status)), notes=notes)


async def verify_waiting(node: ReadableNode, profile: Profile) -> tuple[HostCheck, ...]:
    """Return what still waits for a reboot on a node where the profile is not applied."""
    return verify_node(await view_of(node, await see(node), profile))


def _reports(
    targets: Sequence[NodeTarget], answers: Sequence[NodeReport | NodeError | HostError]
) -> tuple[NodeReport, ...]:
    return tuple(
        replace(failed(target.name, answer), state=NodeState.UNKNOWN)
        if isinstance(answer, NodeError | HostError)
        else answer
        for target, answer in zip(targets, answers, strict=True)
    )


async def _status(look: Look, target: NodeTarget) -> NodeReport:
    return await _report(look.of(target), None, await seen_once(look, target))


async def _report(node: ReadableNode, profile: Profile | None, seen: Seen) -> NodeReport:
    # Without a profile the journal alone says what is wanted; who names one can do without.
    journal, why = await try_journal(node) if profile is not None else (await node.journal(), "")
    if journal is not None and _has_changed(journal, seen):
        seen = await see(node)
    wanted, applied_boot, note = _wanted(seen, journal, profile)
    view = await view_of(node, seen, wanted, applied_boot)
    if journal is not None:
        view = replace(view, entries=held_entries(journal.transactions))
    rows = await placed_rows(node, journal.transactions, seen.boot_id) if journal is not None else ()
    note = _ONLY_PLACES if rows and note == _NOTHING else note
    return NodeReport(
        node=node.target.name,
        state=state_of(journal) if journal is not None else NodeState.UNKNOWN,
        checks=(*verify_node(view), *rule_checks(rows)),
        transactions=journal.transactions if journal is not None else (),
        holder=journal.holder if journal is not None else "",
        notes=tuple(text for text in (why, note) if text),
    )


def _has_changed(journal: Journal, seen: Seen) -> bool:
    """Tell whether the node may be another than the one that was seen: what was wanted since is not in those facts."""
    newest_ns = max((max(one.began_ns, one.ended_ns) for one in journal.transactions), default=0)
    return bool(journal.holder) or newest_ns >= seen.wall_ns


def _wanted(seen: Seen, journal: Journal | None, profile: Profile | None) -> tuple[Profile, str | None, str]:
    """Return what to verify, the boot in which it was applied, and what has to be said of that."""
    newest = newest_applied(journal.transactions) if journal is not None else None
    if profile is not None:
        # Named by somebody: all of it is looked at. Who does not know when it was applied takes this boot.
        return profile, newest.boot_id if newest is not None else seen.boot_id, ""
    if newest is None:
        return Profile(), None, _NOTHING
    applied = applied_profile(newest)
    if applied is None:
        return Profile(), None, _NOT_UNDERSTOOD
    return applied, newest.boot_id, ""
