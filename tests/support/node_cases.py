"""Nodes of a case in YAML: a healthy GB10 with the differences that the case names."""

__all__ = ["cluster_of", "lab_node"]

import json
from dataclasses import replace
from functools import cache
from typing import Any

from tests.support.nodes import empty_node, node_over
from tests.support.trials import refuse_unknown

from sparktune.host.compose import services_of
from sparktune.host.facts.containers import ContainerFacts
from sparktune.host.lab.engine import Engine
from sparktune.host.lab.fabric import rails
from sparktune.host.lab.node import LabNode, node_tree
from sparktune.host.lab.system import System
from sparktune.host.nccl_log import NcclLogFacts, read_nccl_log
from sparktune.host.thread_load import ThreadLoadFacts, read_top
from sparktune.model.node import ClusterFacts, NodeFacts

_NODE_KEYS = frozenset(
    {"base", "engine", "environment", "system", "rails", "driver", "cma_free_kib", "files", "commands", "closed"}
    | {"logs", "unlimited_memlock", "samples", "compose"}
)
_FIRST_ADDRESS = 11


def cluster_of(case: dict[str, Any]) -> ClusterFacts:
    """Return the nodes of ``nodes``, or one node, spark1, that the case itself describes."""
    refuse_unknown(case, _NODE_KEYS | {"name", "expect", "nodes"})
    specs = case.get("nodes") or {"spark1": {key: value for key, value in case.items() if key in _NODE_KEYS}}
    return ClusterFacts(
        nodes=tuple(
            _node(name, json.dumps(spec), _FIRST_ADDRESS + place) for place, (name, spec) in enumerate(specs.items())
        )
    )


@cache  # facts are frozen, and many cases begin with the same node
def _node(name: str, written: str, last: int) -> NodeFacts:
    spec = json.loads(written)
    refuse_unknown(spec, _NODE_KEYS)
    tree = empty_node() if spec.get("base") == "empty" else node_tree(lab_node(spec, last))
    node = node_over(
        name,
        tree,
        files=spec.get("files"),
        commands=spec.get("commands"),
        unreadable_paths=tuple(spec.get("closed", ())),
    )
    return replace(node, facts=node.facts | _handed_in(spec, node))


def lab_node(spec: dict[str, Any], last: int) -> LabNode:
    """Return a healthy node with the differences that a case names."""
    changes = spec.get("rails", {})
    return LabNode(
        last=last,
        fabric=tuple(replace(rail, **changes.get(rail.rdma, {})) for rail in rails(last)),
        engine=Engine(**spec.get("engine", {}), environment=spec.get("environment", {})),
        system=System(**spec.get("system", {})),
        **{key: spec[key] for key in ("driver", "cma_free_kib") if key in spec},
    )


def _handed_in(spec: dict[str, Any], node: NodeFacts) -> dict[type[Any], Any]:
    """Return facts that no live node has: logs, samples of threads, compose files."""
    facts: dict[type[Any], Any] = {}
    if "logs" in spec or "unlimited_memlock" in spec:
        logs = tuple(read_nccl_log(text, file) for file, text in spec.get("logs", {}).items())
        facts[NcclLogFacts] = NcclLogFacts(logs=logs, unlimited_memlock=spec.get("unlimited_memlock"))
    if "samples" in spec:
        samples = tuple(read_top(text, file) for file, text in spec["samples"].items())
        facts[ThreadLoadFacts] = ThreadLoadFacts(samples=samples)
    if "compose" in spec:
        declared = tuple(one for file, text in spec["compose"].items() for one in services_of(text, file, {}))
        running = node.get(ContainerFacts) or ContainerFacts()
        facts[ContainerFacts] = replace(running, containers=(*running.containers, *declared))
    return facts
