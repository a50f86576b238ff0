"""A look at a node in 80 columns, and as a line of JSON."""

import json
from dataclasses import replace

from sparktune.host.core_types import CoreSplit
from sparktune.host.facts.gpu import Gpu
from sparktune.host.live import CoreLoad, Frame, HotThread
from sparktune.model.observed import absent, present
from sparktune.report.watch import WatchedNode, watch_json, watch_lines
from sparktune.report.watch.state import WatchState

_GIB = 1024**3
_SPLIT = CoreSplit(performance=frozenset({2, 3}), efficiency=frozenset({0, 1}), basis="x")
_GPU = Gpu(
    index=0,
    name=present("NVIDIA GB10"),
    bus_id=absent(),
    driver=absent(),
    vbios=absent(),
    performance_state=absent(),
    temperature=present(61.0),
    utilization=present(0.97),
    power=present(80.4),
    power_limit=absent(),
    sm_clock_hz=present(2.3e9),
    max_sm_clock_hz=absent(),
    memory_total=absent(),
    clock_reasons=absent(),
)
_FRAME = Frame(
    wall_ns=1_500_000_000,
    missed=0,
    cores=tuple(CoreLoad(cpu=cpu, load=load) for cpu, load in enumerate((0.0, 0.5, 1.0, None))),
    hottest_zone=63.4,
    gpus=(_GPU,),
    available=54 * _GIB,
    total=120 * _GIB,
    swap_used=0,
    swap_in_per_s=0.0,
    swap_out_per_s=12.4,
    threads=(HotThread(pid=50, tid=51, name="ggml-rpc-server", cpu=7, share=0.998),),
)
_NODE = WatchedNode(name="spark1", split=_SPLIT, frame=_FRAME)


def _lines(*nodes: WatchedNode, rows: int = 24) -> list[str]:
    return watch_lines(nodes, width=80, rows=rows)


def test_one_node() -> None:
    assert _lines(_NODE) == [
        "spark1: MemAvailable 54.0 GiB of 120.0 GiB, above the guard line 3.0 GiB",
        "  fast   [█?] 100.0 % of 2-3",
        "  slow   [ ▄] 25.0 % of 0-1",
        "  heat   hottest zone 63 C, GPU 0 97.0 % 2300 MHz 61 C 80 W",
        "  swap   0 B used, 0 pages/s in, 12 out",
        "    99.8 %  ggml-rpc-server  50/51 on CPU 7",
    ]


def test_what_is_not_known_is_called_so() -> None:
    quiet = replace(_GPU, temperature=absent(), utilization=absent(), power=absent(), sm_clock_hz=absent())
    frame = replace(
        _FRAME,
        missed=3,
        cores=(),
        hottest_zone=None,
        gpus=(quiet,),
        available=None,
        swap_used=None,
        swap_in_per_s=None,
        threads=(),
    )

    assert _lines(replace(_NODE, frame=frame)) == [
        "spark1: MemAvailable unknown, 3 looks missed",
        "  cores  unknown",
        "  heat   hottest zone unknown, GPU 0 unknown",
        "  swap   unknown used, traffic unknown",
    ]


def test_below_the_guard_line_is_said() -> None:
    low = replace(_NODE, frame=replace(_FRAME, available=_GIB, total=None))

    assert _lines(low)[0] == "spark1: MemAvailable 1.0 GiB, BELOW the guard line 3.0 GiB"


def test_one_core_type_is_one_line() -> None:
    cores = (CoreLoad(cpu=0, load=None), CoreLoad(cpu=1, load=None))

    assert _lines(replace(_NODE, split=None, frame=replace(_FRAME, cores=cores)))[1] == "  cores  [??] unknown of 0-1"


def test_a_node_without_a_frame() -> None:
    assert _lines(WatchedNode(name="a"), WatchedNode(name="b", failure="b: no route to host")) == [
        "a: waiting for the second sample",
        "no answer: b: no route to host",
    ]


def test_two_nodes_share_a_small_terminal() -> None:
    """Threads go before heat and memory do."""
    busy = replace(_NODE, frame=replace(_FRAME, threads=_FRAME.threads * 8))

    lines = _lines(busy, busy, rows=14)

    assert len(lines) == 14
    assert [line for line in lines if line.startswith("spark1")] == [lines[0], lines[7]]
    assert max(map(len, _lines(replace(busy, name="x" * 100)))) == 80


def test_names_of_threads_cannot_steer_the_terminal() -> None:
    thread = replace(_FRAME.threads[0], name="\x1b[2J")

    assert "\\x1b[2J" in _lines(replace(_NODE, frame=replace(_FRAME, threads=(thread,))))[-1]


def _json(node: WatchedNode) -> str:
    return watch_json(node, WatchState(), 0.0)


def _of_node(line: str) -> dict[str, object]:
    """Return a line without what is watched beside its node: test_beside.py has that."""
    return {key: value for key, value in json.loads(line).items() if key not in {"engine", "drift", "doctor"}}


def test_json_lines() -> None:
    line = json.loads(_json(_NODE))

    assert (line["schema"], line["node"], line["wall_s"], line["available_bytes"]) == (1, "spark1", 1.5, 54 * _GIB)
    assert line["cores"][2] == {"cpu": 2, "type": "performance", "load": 1.0, "clock_hz": None}
    assert line["cores"][3]["load"] is None
    assert line["gpus"] == [
        {"index": 0, "utilization_ratio": 0.97, "sm_clock_hz": 2.3e9, "temperature_c": 61.0, "power_w": 80.4}
    ]
    assert line["threads"] == [{"pid": 50, "tid": 51, "name": "ggml-rpc-server", "cpu": 7, "share": 0.998}]
    assert _json(_NODE).count("\n") == 1


def test_json_without_types_and_without_an_answer() -> None:
    assert json.loads(_json(replace(_NODE, split=None)))["cores"][0]["type"] is None
    failed, silent = WatchedNode(name="b", failure="gone"), WatchedNode(name="b")
    assert _of_node(_json(failed)) == {"schema": 1, "node": "b", "error": "gone"}
    assert _of_node(_json(silent)) == {"schema": 1, "node": "b"}
    odd = replace(_SPLIT, performance=frozenset[int](), efficiency=frozenset[int]())
    assert json.loads(_json(replace(_NODE, split=odd)))["cores"][0]["type"] is None
