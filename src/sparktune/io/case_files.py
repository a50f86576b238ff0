"""Loose files of a report - what people paste when they ask for help - as facts of nodes.

A file's name says what it is (``meminfo.txt``, ``ibdev2netdev.txt``, ``docker_inspect.json`` ...) and of which node
(``node0_ip_link.txt``, ``netplan_dir_node1.txt``, or a folder per node); what names no node is true of all of them.
"""

__all__ = ["CaseFiles", "read_case_files"]

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sparktune.errors import UsageError
from sparktune.host.facts import all_reads, read_facts
from sparktune.host.facts.containers import ContainerFacts
from sparktune.io import case_fabric as fabric
from sparktune.io import case_texts as texts
from sparktune.io.case_node import CaseNode
from sparktune.model.node import ClusterFacts, NodeFacts
from sparktune.units import Bytes

_MOST_BYTES: Bytes = 16 * 1024 * 1024
_MOST_FILES = 1000
_NODE = re.compile(r"(?:^|_)(?P<node>node\d{1,3}|head|worker\d{0,3})(?=[_.]|$)")

Converter = Callable[[CaseNode, str, str], None]


def _file_at(path: str) -> Converter:
    def write(node: CaseNode, text: str, _file: str) -> None:
        node.files[path] = text

    return write


def _output_of(*argv: str) -> Converter:
    def write(node: CaseNode, text: str, _file: str) -> None:
        node.outputs[argv] = text

    return write


_ENVIRONMENT = re.compile(r"\.?env(?:\..+)?|.*\.env|effective_env\.txt")
_COMPOSE = re.compile(r"(?:docker-)?compose.*\.ya?ml")
_TABLE: tuple[tuple[re.Pattern[str], Converter], ...] = tuple(
    (re.compile(pattern), converter)
    for pattern, converter in (
        (r"cpuinfo.*\.txt", texts.cpu_info),
        (r"lscpu.*\.txt", _output_of("lscpu")),
        (r"sysfs_cpu\.csv", texts.cpu_table),
        (r"meminfo.*\.txt", _file_at("/proc/meminfo")),
        (r"vmstat\.txt", _file_at("/proc/vmstat")),
        (r"buddyinfo\.txt", _file_at("/proc/buddyinfo")),
        (r"cmdline\.txt", _file_at("/proc/cmdline")),
        (r"(?:proc_)?interrupts\.txt", _file_at("/proc/interrupts")),
        (r"uname.*\.txt", texts.version),
        (r"kernel.*\.log|dmesg.*\.(?:txt|log)", texts.kernel_log),
        (r"gpu_samples.*\.csv|nvidia_smi.*\.csv", texts.gpu_samples),
        (r"throttle.*\.txt", texts.throttle_reasons),
        (r"ulimit.*\.txt", texts.locked_memory),
        (r"proc_status.*\.txt", texts.process_status),
        (r"system\.conf\.d_.+\.conf", texts.manager_file),
        (r"top_H_.*\.txt", texts.thread_loads),
        (r"docker_inspect.*\.json", fabric.containers),
        (r"ip(?:_br)?_addr.*\.txt", fabric.ip_addresses),
        (r"ip_link.*\.txt", fabric.ip_links),
        (r"ibdev2netdev.*\.txt", fabric.rdma_netdevs),
        (r"ib_state.*\.txt", fabric.rdma_states),
        (r"sysfs_gids.*\.txt", fabric.gid_table),
        (r"netplan_dir.*\.txt", fabric.netplan_listing),
        (r"(?:nccl|boot|engine|vllm).*\.log", fabric.engine_log),
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFiles:
    """The nodes that a folder tells of; ``used`` and ``ignored`` are its files, with why for those ignored."""

    cluster: ClusterFacts
    used: tuple[str, ...]
    ignored: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Loose:
    file: str  # as messages name it
    word: str  # its name without that of a node
    node: str | None
    text: str
    convert: Converter


def read_case_files(folder: Path) -> CaseFiles:
    """Read a folder of loose files. Raises UsageError when it cannot be read, or when no file of it is known."""
    ignored: list[tuple[str, str]] = []
    loose = _loose_files(folder, ignored)
    if not loose:
        message = f"{folder} holds no file with a name that says what it is"
        raise UsageError(message, hint="for instance meminfo.txt, dmesg.txt, ibdev2netdev.txt, docker_inspect.json")
    nodes = [CaseNode(name) for name in _node_names(loose, folder)]
    failed: dict[str, str] = {}
    for node in nodes:
        for one in loose:
            if one.node in (None, node.name):
                try:
                    one.convert(node, one.text, one.word)
                except ValueError as error:
                    failed[one.file] = str(error)
        fabric.complete_fabric(node)
    used = tuple(one.file for one in loose if one.file not in failed)
    cluster = ClusterFacts(nodes=tuple(_facts(node) for node in nodes))
    return CaseFiles(cluster=cluster, used=used, ignored=tuple(sorted((*ignored, *failed.items()))))


def _loose_files(folder: Path, ignored: list[tuple[str, str]]) -> list[_Loose]:
    texts_by_path = _texts(folder, ignored)
    environments = {path: text for path, text in texts_by_path.items() if _ENVIRONMENT.fullmatch(path.name)}
    has_compose = any(_COMPOSE.fullmatch(path.name) for path in texts_by_path)
    variables = {name: value for text in environments.values() for name, value in fabric.variables_of(text).items()}
    loose: list[_Loose] = []
    for path, text in texts_by_path.items():
        file = str(path.relative_to(folder))
        marked = _NODE.search(path.stem)
        node = path.parent.name if path.parent != folder else marked["node"] if marked else None
        word = _NODE.sub("", path.name).lstrip("_") if marked else path.name
        convert = _converter(word, variables, has_compose=has_compose)
        if convert is None:
            ignored.append((file, "no known name"))
        else:
            loose.append(_Loose(file=file, word=word, node=node, text=text, convert=convert))
    return loose


def _converter(word: str, variables: Mapping[str, str], *, has_compose: bool) -> Converter | None:
    if _COMPOSE.fullmatch(word):
        return lambda node, text, file: fabric.compose(node, text, file, variables)
    if _ENVIRONMENT.fullmatch(word):
        # Beside a compose file it fills in that file's variables, and is no environment by itself.
        return _nothing if has_compose else fabric.environment
    plain = word.replace("-", "_")
    return next((converter for pattern, converter in _TABLE if pattern.fullmatch(plain)), None)


def _nothing(_node: CaseNode, _text: str, _file: str) -> None:
    """Write nothing: the file is used elsewhere."""


def _texts(folder: Path, ignored: list[tuple[str, str]]) -> dict[Path, str]:
    """Read the files of the folder and of the folders in it."""
    try:
        entries = sorted(folder.iterdir())
        inner = [path for entry in entries if entry.is_dir() for path in sorted(entry.iterdir())]
        paths = [path for path in (*entries, *inner) if path.is_file()][:_MOST_FILES]
    except OSError as error:
        message = f"{folder} cannot be read: {error.strerror or error}"
        raise UsageError(message, hint="name a folder that holds the files of a report") from None
    found: dict[Path, str] = {}
    for path in paths:
        try:
            with path.open("rb") as stream:
                data = stream.read(_MOST_BYTES + 1)
        except OSError as error:
            ignored.append((str(path.relative_to(folder)), error.strerror or str(error)))
            continue
        if len(data) > _MOST_BYTES:
            ignored.append((str(path.relative_to(folder)), f"larger than {_MOST_BYTES} bytes"))
        else:
            found[path] = data.decode("utf-8", errors="replace")
    return found


def _node_names(loose: list[_Loose], folder: Path) -> tuple[str, ...]:
    named = {one.node for one in loose if one.node is not None}
    for one in loose:
        if one.convert is fabric.gid_table:
            named.update(fabric.nodes_of_gid_table(one.text))
    return tuple(sorted(named)) or (_host_name(loose) or folder.resolve().name,)


def _host_name(loose: list[_Loose]) -> str | None:
    for one in loose:
        words = one.text.split()
        if one.convert is texts.version and len(words) > 1 and words[0] == "Linux":
            return words[1]
    return None


def _facts(node: CaseNode) -> NodeFacts:
    facts = read_facts(node.name, node.answer(all_reads()))
    merged: dict[type[Any], Any] = {**facts.facts, **node.facts}
    inspected, declared = facts.get(ContainerFacts), node.facts.get(ContainerFacts)
    if inspected is not None and declared is not None:
        merged[ContainerFacts] = replace(inspected, containers=(*inspected.containers, *declared.containers))
    return replace(facts, facts=merged)
