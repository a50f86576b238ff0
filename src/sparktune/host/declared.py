"""A node on which would run what files declare: the findings that judge environments then judge those of the files."""

__all__ = ["DECLARED_RULES", "Declared", "judge_declared"]

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sparktune.host.environment import kept_environment
from sparktune.host.facts.containers import Container, ContainerFacts
from sparktune.host.facts.processes import ProcessFacts
from sparktune.host.findings import judge
from sparktune.model.finding import Finding
from sparktune.model.node import ClusterFacts, NodeFacts

# What can be judged of variables and of a node's network, before anything runs
DECLARED_RULES: Final = frozenset(
    {
        "control-on-wifi",
        "gid-index-differs",
        "gid-index-empty",
        "gid-index-shared",
        "gid-index-unusable",
        "hca-without-gid",
        "socket-without-address",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What a file gives to one process: ``name`` as people call it, ``variables`` filled in."""

    file: str
    name: str
    variables: Mapping[str, str]


def judge_declared(nodes: Sequence[NodeFacts], declared: Sequence[Declared]) -> tuple[Finding, ...]:
    """Return what the nodes' networks say against the variables of files; what runs there now is left aside."""
    containers = tuple(
        Container(
            id=f"declared-{place}",
            name=one.name,
            image="",
            declared_in=one.file,
            environment=kept_environment(one.variables),
            complete=False,
        )
        for place, one in enumerate(declared)
    )
    facts = ContainerFacts(containers=containers)
    asked = tuple(replace(node, facts={**node.facts, ContainerFacts: facts, ProcessFacts: None}) for node in nodes)
    found = judge(ClusterFacts(nodes=asked))
    return tuple(one for one in found if one.rule in DECLARED_RULES and one.file is not None)
