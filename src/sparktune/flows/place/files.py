"""``place scan --top``: the same question of what ``top -H`` printed, for a report from elsewhere."""

__all__ = ["scan_files"]

from collections.abc import Iterable, Sequence
from pathlib import Path

from sparktune.engines import role_of
from sparktune.errors import UsageError
from sparktune.flows.place.scan import NodeScan, PlaceScan
from sparktune.host.facts.cpu import CpuFacts
from sparktune.host.pollers.judge import placed
from sparktune.host.thread_load import LoadSample, ThreadLoad, ThreadLoadFacts, read_top
from sparktune.io.case_files import read_case_files
from sparktune.io.named_file import open_named
from sparktune.model.node import NodeFacts
from sparktune.model.place import PollerVerdict, ThreadSeen, ThreadWindow
from sparktune.units import Seconds

_MOST_BYTES = 16 * 1024 * 1024
_APART_S: Seconds = 5.0
_WRITE_ONE = "write one with: top -H -b -n 1 > FILE"
_NOTE = "top tells no switches, no time in the kernel and no age of a thread: nothing of it is certain"
_NO_CORES = "which cores are fast is not told by these files"


def scan_files(paths: Sequence[Path]) -> PlaceScan:
    """Judge files that top wrote, or a folder of a report. Raises UsageError for what says nothing."""
    folders = [path for path in paths if path.is_dir()]
    nodes = [_of_facts(node) for folder in folders for node in _case(folder)]
    samples = [_read(path) for path in paths if path not in folders]
    if samples:
        nodes.append(_node("top", samples, None))
    return PlaceScan(nodes=tuple(nodes))


def _case(folder: Path) -> Sequence[NodeFacts]:
    try:
        return read_case_files(folder).cluster.nodes
    except UsageError as error:
        raise UsageError(str(error), hint=_WRITE_ONE) from None


def _read(path: Path) -> LoadSample:
    try:
        with open_named(path) as stream:
            data = stream.read(_MOST_BYTES + 1)
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror or error}"
        raise UsageError(message, hint=_WRITE_ONE) from None
    sample = read_top(data.decode("utf-8", "replace"), path.name)
    if len(data) > _MOST_BYTES or not sample.threads:
        message = f"{path} holds no thread as top -H prints them"
        raise UsageError(message, hint=_WRITE_ONE)
    return sample


def _of_facts(node: NodeFacts) -> NodeScan:
    loads = node.get(ThreadLoadFacts)
    if loads is None or not loads.samples:
        why = "no file of it tells the load of threads"
        return NodeScan(node=node.node, failure=why, hint="see what else the files say: sparktune doctor --from DIR")
    return _node(node.node, loads.samples, node.get(CpuFacts))


def _node(name: str, samples: Sequence[LoadSample], cpu: CpuFacts | None) -> NodeScan:
    split = cpu.split.value if cpu is not None else None
    fast, slow = (split.performance, split.efficiency) if split else (frozenset[int](), frozenset[int]())
    threads = list(_threads(samples))
    pollers = [placed(name, thread, fast, slow) for thread in threads]
    return NodeScan(
        node=name,
        pollers=tuple(one for one in pollers if one.verdict is not PollerVerdict.NOT),
        threads=len(threads),
        windows=len(samples),
        notes=(_NOTE, *(() if split else (_NO_CORES,))),
    )


def _threads(samples: Iterable[LoadSample]) -> Iterable[ThreadSeen]:
    seen: dict[tuple[int, int, str], list[tuple[ThreadLoad, bool | None]]] = {}
    for sample in samples:
        for thread in sample.threads:
            seen.setdefault((thread.pid, thread.tid, thread.name), []).append((thread, sample.idle))
    for looks in seen.values():
        last = looks[-1][0]
        role = role_of(last.process, ())
        yield ThreadSeen(
            pid=last.pid,
            tid=last.tid,
            start_ticks=0,
            name=last.name,
            process=last.process,
            engine=role.engine if role else "",
            role=role.role if role else "",
            windows=tuple(_window(thread, idle=idle) for thread, idle in looks),
        )


def _window(thread: ThreadLoad, *, idle: bool | None) -> ThreadWindow:
    return ThreadWindow(
        length_s=_APART_S,
        demand=min(thread.share, 1.0),
        ran=min(thread.share, 1.0),
        voluntary_per_s=0.0,
        system=None,
        core=thread.core,
        idle=idle,
        switches_told=False,
    )
