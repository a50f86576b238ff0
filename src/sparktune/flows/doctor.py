"""``doctor``: read the nodes and judge them. Nothing is changed."""

__all__ = ["Diagnosis", "diagnose", "diagnose_nodes", "diagnosis_of", "facts_all", "facts_of"]

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from sparktune.errors import ExitCode, HostError, NodeError
from sparktune.flows.host.look import Seen, seen_once
from sparktune.flows.look import Look, looking
from sparktune.flows.one_host import shown_once
from sparktune.host.facts import read_facts
from sparktune.host.findings import judge
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.fanout import NodeAnswer
from sparktune.model.finding import Finding, Severity
from sparktune.model.node import ClusterFacts, NodeFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """``findings`` come worst first. ``notes`` say what was left aside: files that nobody knows, second names."""

    cluster: ClusterFacts
    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()

    @property
    def exit_code(self) -> ExitCode:
        """FAILED when no node answered; DIFFERENCES for an error or a warning; FAILED when a node did not answer."""
        if not self.cluster.answered:
            return ExitCode.FAILED
        if any(finding.severity is not Severity.INFO for finding in self.findings):
            return ExitCode.DIFFERENCES
        return ExitCode.FAILED if len(self.cluster.answered) < len(self.cluster.nodes) else ExitCode.DONE


def diagnose_nodes(targets: Sequence[NodeTarget]) -> Diagnosis:
    """Ask all nodes at once. What is wrong with a node itself is in its facts; raises UsageError for a bad name."""
    return asyncio.run(diagnose(targets))


async def diagnose(targets: Sequence[NodeTarget], look: Look | None = None) -> Diagnosis:
    """Ask as ``diagnose_nodes`` does, beside other work: judging does not hold it up."""
    async with looking(look) as shared:
        hosts, notes = await shown_once(targets, shared)
        nodes = await facts_all(hosts, shared)
    return await asyncio.to_thread(lambda: diagnosis_of(ClusterFacts(nodes=nodes), notes))


async def facts_all(targets: Sequence[NodeTarget], look: Look) -> tuple[NodeFacts, ...]:
    """Return the facts of all nodes, asked at once; of one that does not answer, why."""

    async def seen(target: NodeTarget) -> Seen:
        return await seen_once(look, target)

    answers = await look.each(targets, seen)
    return tuple(
        answer.facts if isinstance(answer, Seen) else _silent(target.name, answer)
        for target, answer in zip(targets, answers, strict=True)
    )


def diagnosis_of(cluster: ClusterFacts, notes: tuple[str, ...] = ()) -> Diagnosis:
    """Judge what is known of some nodes."""
    return Diagnosis(cluster=cluster, findings=judge(cluster), notes=notes)


def facts_of(answer: NodeAnswer) -> NodeFacts:
    """Return what a node answered, or why it did not."""
    name = answer.target.name
    if answer.readings is not None:
        return read_facts(name, answer.readings)
    return _silent(name, answer.error)


def _silent(name: str, error: NodeError | HostError | None) -> NodeFacts:
    return NodeFacts(node=name, failure=str(error or "no answer"), hint=error.hint if error is not None else "")
