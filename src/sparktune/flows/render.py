"""``render``: look at one node, and say what a container that is started there by hand should get. Changes nothing."""

__all__ = ["render_files", "render_node"]

import asyncio
from pathlib import Path

from sparktune.errors import NodeError, UsageError
from sparktune.host.facts import all_reads, read_facts
from sparktune.host.node_environment import GidChoice, NodeEnvironment, node_environment
from sparktune.io.case_files import read_case_files
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.fanout import observe_all
from sparktune.model.node import NodeFacts


def render_node(target: NodeTarget, *, gid: GidChoice) -> NodeEnvironment:
    """Ask the node once. Raises NodeError when it does not answer."""
    (answer,) = asyncio.run(observe_all((target,), all_reads()))
    if answer.readings is None:
        raise answer.error or NodeError(f"{target.name}: no answer")
    return node_environment(read_facts(target.name, answer.readings), gid=gid)


def render_files(folder: Path, name: str, *, gid: GidChoice) -> NodeEnvironment:
    """Take a node of a folder of loose files. Raises UsageError where it is not clear which one is meant."""
    nodes = {node.node: node for node in read_case_files(folder).cluster.nodes}
    return node_environment(_chosen(nodes, name, folder), gid=gid)


def _chosen(nodes: dict[str, NodeFacts], name: str, folder: Path) -> NodeFacts:
    if not name and len(nodes) == 1:
        return next(iter(nodes.values()))
    if name in nodes:
        return nodes[name]
    listed = ", ".join(nodes)
    message = f"{folder} tells of no node {name!r}" if name else f"{folder} tells of several nodes"
    raise UsageError(message, hint=f"name one of them: --node {next(iter(nodes), 'NODE')} (there are: {listed})")
