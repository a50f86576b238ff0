"""Which nodes are meant: named on the command line, in ``sparktune.yaml``, in a sparkrun cluster, or this machine.

sparkrun keeps one cluster per file, ``~/.config/sparkrun/clusters/NAME.yaml``, with ``hosts`` (the first is the head)
and ``user`` (as version 0.4.2 writes them); a ``NAME.manifest.yaml`` beside it is something else.
"""

__all__ = ["LOCAL", "NodeTarget", "find_nodes", "sparkrun_clusters", "target_among"]

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sparktune.errors import UsageError
from sparktune.io.config import Config, NodeConfig
from sparktune.io.config_text import read_config_text

LOCAL = "local"
_SPARKRUN = "sparkrun:"


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeTarget:
    """A node and how it is reached: ``host`` for ssh, ``root`` for a captured tree, neither for this machine."""

    name: str
    host: str | None = None
    root: Path | None = None


def find_nodes(named: Sequence[str], config: Config | None) -> tuple[NodeTarget, ...]:
    """Return the nodes that ``--nodes`` names, else those of the file, else this machine.

    A name is a node of the file, ``local``, ``sparkrun:CLUSTER``, a folder (anything with a slash), or what ssh knows.
    Raises UsageError for a folder or cluster that is not there, and for a node that is named twice.
    """
    known = {node.name: node for node in config.nodes} if config else {}
    names = list(named) or list(known) or [LOCAL]
    targets = [target for name in names for target in _targets(name, known, config)]
    seen: set[str] = set()
    for target in targets:
        if target.name in seen:
            message = f"the node {target.name} is named twice"
            raise UsageError(message, hint="name every node once; folders are known by their last part")
        seen.add(target.name)
    return tuple(targets)


def target_among(nodes: Mapping[str, NodeTarget], name: str, user: str) -> NodeTarget:
    """Return the way to a node by its name; "" is this machine, unless it is among them.

    Raises UsageError for one that nobody named; ``user`` says who wants it ("the experiment changes").
    """
    if name in nodes:
        return nodes[name]
    if not name:
        return NodeTarget(name=LOCAL)
    known = ", ".join(one for one in nodes if one) or "none"
    message = f"{user} node {name!r}, and it is not known here"
    raise UsageError(message, hint=f"known: {known}; name it in sparktune.yaml or with --nodes")


def sparkrun_clusters() -> tuple[str, ...]:
    """Return the names of the sparkrun clusters of this user."""
    folder = _sparkrun_folder()
    names = sorted(path.name.removesuffix(".yaml") for path in folder.glob("*.yaml")) if folder.is_dir() else []
    return tuple(name for name in names if not name.endswith(".manifest"))


def _targets(name: str, known: dict[str, NodeConfig], config: Config | None) -> tuple[NodeTarget, ...]:
    if name in known:
        return _of_address(name, known[name].host or name, config)
    return _of_address(name, name, None)


def _of_address(name: str, address: str, config: Config | None) -> tuple[NodeTarget, ...]:
    if address == LOCAL:
        return (NodeTarget(name=name),)
    if address.startswith(_SPARKRUN):
        return _sparkrun_nodes(address.removeprefix(_SPARKRUN))
    if "/" in address:
        return (_folder_node(name, address, config),)
    return (NodeTarget(name=name, host=_ssh_name(address)),)


def _ssh_name(address: str) -> str:
    # ssh would read a name that begins with a hyphen as an option.
    if address.startswith("-"):
        message = f"{address!r} is no name of a node"
        raise UsageError(message, hint="write --nodes spark1,spark2")
    return address


def _folder_node(name: str, address: str, config: Config | None) -> NodeTarget:
    path = Path(address).expanduser()
    if config is not None:
        path = config.path.parent / path
    if not path.is_dir():
        message = f"{address} is no folder"
        raise UsageError(message, hint="a node with a slash is a captured tree; make two with: sparktune lab init DIR")
    return NodeTarget(name=path.resolve().name if name == address else name, root=path)


def _sparkrun_nodes(cluster: str) -> tuple[NodeTarget, ...]:
    path = _sparkrun_folder() / f"{cluster}.yaml"
    if "/" in cluster or not path.is_file():
        message = f"there is no sparkrun cluster {cluster!r}"
        known = ", ".join(sparkrun_clusters()) or f"none in {_sparkrun_folder()}"
        raise UsageError(message, hint=f"known: {known}")
    text = read_config_text(path)
    values = text.mapping(())
    hosts, user = values.get("hosts"), values.get("user")
    if not isinstance(hosts, list) or not hosts or not all(isinstance(host, str) and host for host in hosts):
        raise text.error(("hosts",), "a list of host names is wanted here", hint="see: sparkrun cluster show NAME")
    nodes: list[NodeTarget] = []
    for host in hosts:
        if host in {"localhost", "127.0.0.1"}:
            nodes.append(NodeTarget(name=host))
        else:
            address = f"{user}@{host}" if isinstance(user, str) and user else host
            nodes.append(NodeTarget(name=host, host=_ssh_name(address)))
    return tuple(nodes)


def _sparkrun_folder() -> Path:
    return Path.home() / ".config" / "sparkrun" / "clusters"
