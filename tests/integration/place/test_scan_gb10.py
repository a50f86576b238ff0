"""``place scan`` of a GB10 with a thread on each of its cores: the machine's files are captured, the threads made up.

Which cores are fast is told by what identifies a core: five capacities and two topology clusters would mislead.
"""

from collections.abc import AsyncIterator, Sequence
from types import TracebackType
from typing import ClassVar, Self

import pytest
from tests.support.interrupt_trees import gb10_interrupts, more_interrupts
from tests.support.nodes import readings_of_node
from tests.support.shared import shared

from sparktune.flows.place import scan as place_scan
from sparktune.flows.place.scan import PlaceScan, scan_nodes
from sparktune.host.lab.tree import NodeTree
from sparktune.io.cluster import NodeTarget
from sparktune.model.place import PollerVerdict
from sparktune.model.reads import Read, Readings, Sampled
from sparktune.model.sample import Sample
from sparktune.report.place import scan_json, scan_text

_NS = 1_000_000_000
_PID, _FIRST_TID = 2266000, 2266022
_TABLE = "/proc/interrupts"
_FAST_PART = "d85"


class _Node:
    """Stands in the place of a session: observes a tree, and samples one thread per core that never sleeps."""

    added: ClassVar[dict[str, dict[int, int]]] = {}

    def __init__(self, _target: NodeTarget) -> None:
        self._files = _gb10() | {f"/proc/{_PID}/comm": "rpc-server\n", "/proc/uptime": "9000.0 1.0\n"}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    async def observe(self, reads: Sequence[Read]) -> Readings:
        return readings_of_node(NodeTree(files=self._files), reads)

    async def sample(
        self, _sources: Sequence[Sampled], *, interval_s: float, count: int, **_more: float
    ) -> AsyncIterator[Sample]:
        before = self._files[_TABLE]
        for tick in range(count):
            texts = {path: text for cpu in range(20) for path, text in _thread(cpu, tick * interval_s).items()}
            texts[_TABLE] = more_interrupts(before, self.added) if tick else before
            yield Sample(tick=tick, monotonic_ns=int(tick * interval_s * _NS), wall_ns=0, texts=texts)


def _gb10() -> dict[str, str]:
    root = shared("samples/gb10/hwloc-gb10-sysfs")
    files = {f"/{path.relative_to(root)}": path.read_text() for path in root.rglob("*") if path.is_file()}
    return files | gb10_interrupts()


def _thread(cpu: int, at_s: float) -> dict[str, str]:
    folder = f"/proc/{_PID}/task/{_FIRST_TID + cpu}"
    head = f"{_FIRST_TID + cpu} (rpc-server) R 1 1 1 0 -1 64 0 0 0 0 {int(at_s * 100)} 0 0 0 20 0 9 0 900 0"
    return {
        f"{folder}/schedstat": f"{int(at_s * _NS)} 0 5\n",
        f"{folder}/stat": f"{head} 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17 {cpu} 0 0 0 0 0\n",
        f"{folder}/status": "Cpus_allowed_list:\t0-19\nvoluntary_ctxt_switches:\t3\n",
    }


def _scan(monkeypatch: pytest.MonkeyPatch, added: dict[str, dict[int, int]]) -> PlaceScan:
    monkeypatch.setattr(_Node, "added", added)
    monkeypatch.setattr(place_scan, "NodeSession", _Node)
    return scan_nodes([NodeTarget(name="spark2")], windows=5, window_s=2.0, endpoint="")


def test_every_core_is_of_the_type_that_its_register_says(monkeypatch: pytest.MonkeyPatch) -> None:
    table = shared("samples/gb10/cpu-table.tsv").read_text().splitlines()[1:]
    parts = {int(row.split("\t")[0]): row.split("\t")[1] for row in table}

    (node,) = _scan(monkeypatch, {}).nodes

    kinds = {poller.thread.windows[-1].core: poller.core_kind for poller in node.pollers}
    assert kinds == {cpu: "performance" if _FAST_PART in part else "efficiency" for cpu, part in parts.items()}
    assert sorted(cpu or 0 for cpu, kind in kinds.items() if kind == "efficiency") == [*range(5), *range(10, 15)]
    assert node.interrupts == ()
    assert "interrupts on performance cores" not in scan_text([node])


def test_only_threads_on_fast_cores_are_to_be_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    (node,) = _scan(monkeypatch, {}).nodes

    for poller in node.pollers:
        assert poller.verdict is PollerVerdict.LIKELY
        assert (str(poller.thread.tid) in poller.then) == (poller.core_kind == "performance")


def test_interrupts_that_hit_fast_cores_are_told_with_the_next_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """The counts have risen between the first look of the scan and its last, ten seconds later."""
    (node,) = _scan(monkeypatch, {"nvidia": {7: 90_000, 2: 500_000}, "nvme0q8": {7: 50_000}}).nodes

    text = scan_text([node])
    assert "(nvidia) of 000f:01:00.0: 9,000/s on CPU 7\n" in text
    assert "then: see what would move it: sparktune host plan (change irq-affinity)" in text
    assert "lets nobody move it" in text
    assert "what moving them brings nobody measured" in text
    assert '"movable": false' in scan_json([node])
