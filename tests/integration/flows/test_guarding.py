"""Several nodes are watched at once: the first limit that is crossed ends it, and a node that is gone is said."""

import asyncio
from pathlib import Path

import pytest

from sparktune.errors import NodeError, UsageError
from sparktune.flows.guarding import Watch
from sparktune.io.cluster import NodeTarget
from sparktune.model.guard import Limits, LoadTick, Phase
from sparktune.model.reads import ReadFile

_GIB = 1024**3
_GONE = NodeTarget(name="spark9", host="nowhere.invalid")


def _node(folder: Path, name: str, available: int = 4 * _GIB) -> NodeTarget:
    tree = folder / name
    (tree / "proc").mkdir(parents=True)
    _show(tree, available)
    return NodeTarget(name=name, root=tree)


def _show(tree: Path, available: int) -> None:
    new = tree / "proc/meminfo.new"
    new.write_text(f"MemTotal: {8 * 1024**2} kB\nMemAvailable: {available // 1024} kB\n")
    new.replace(tree / "proc/meminfo")


async def test_the_node_that_crosses_a_limit_is_named_and_the_other_is_watched_on(tmp_path: Path) -> None:
    targets = (_node(tmp_path, "spark1"), _node(tmp_path, "spark2"))

    async with Watch(targets, Limits()) as watch:
        assert not watch.tripped.done()
        _show(tmp_path / "spark2", _GIB)
        trip = await asyncio.wait_for(asyncio.shield(watch.tripped), 30)
        first = watch.curve("spark2")

        assert (trip.guard, trip.node) == ("memory-floor", "spark2")
        assert [tick.available for tick in first][:1] == [4 * _GIB]
        assert first[-1].available == _GIB
        assert watch.nodes == ("spark1", "spark2")


async def test_entering_waits_for_the_first_tick_and_reads_what_was_asked_for(tmp_path: Path) -> None:
    async with Watch((_node(tmp_path, "spark1"),), Limits(), reads=(ReadFile(path="/proc/meminfo"),)) as watch:
        readings = watch.readings("spark1")

        assert len(watch.curve("spark1")) >= 1
        assert readings is not None
        assert "MemAvailable" in (readings.file("/proc/meminfo").value or "")


async def test_a_node_that_does_not_answer_is_said_once_and_holds_up_nobody(tmp_path: Path) -> None:
    said: list[str] = []

    async with Watch((_node(tmp_path, "spark1"), _GONE), Limits(), say=said.append) as watch:
        assert set(watch.lost) == {"spark9"}
        assert len([line for line in said if line.startswith("spark9 is not watched now")]) == 1
        assert watch.curve("spark9") == ()
        assert not watch.tripped.done()
        assert any(line.startswith("spark9: not watched by driver-memory") for line in watch.unwatched)


async def test_a_lost_node_ends_the_watch_where_that_is_wanted(tmp_path: Path) -> None:
    async with Watch((_node(tmp_path, "spark1"), _GONE), Limits(), stop_when_lost=True) as watch:
        with pytest.raises(NodeError, match="spark9"):
            await asyncio.wait_for(asyncio.shield(watch.tripped), 30)


async def test_a_host_name_that_is_an_option_is_refused_before_anything_is_asked() -> None:
    with pytest.raises(UsageError):
        Watch((NodeTarget(name="x", host="-oProxyCommand=x"),), Limits())


async def test_the_load_is_judged_without_any_node() -> None:
    async with Watch((), Limits(), phase=Phase.LOAD, baseline=0.0) as watch:
        watch.load(LoadTick(monotonic_ns=1, requests=100))
        assert not watch.tripped.done()
        watch.load(LoadTick(monotonic_ns=2, requests=1000, failed=1))

        assert (await watch.tripped).guard == "error-rate"
        watch.load(LoadTick(monotonic_ns=3, unanswered_s=600.0))
        assert (await watch.tripped).guard == "error-rate", "the first one stays"


async def test_the_phase_decides_what_is_too_much() -> None:
    async with Watch((), Limits(), phase=Phase.STARTING) as watch:
        watch.load(LoadTick(monotonic_ns=1, unanswered_s=600.0))
        assert not watch.tripped.done(), "an engine that starts does not answer"
        watch.phase(Phase.LOAD)
        watch.load(LoadTick(monotonic_ns=2, unanswered_s=600.0))

        assert watch.tripped.done()


async def test_what_cannot_be_watched_is_told_by_node_and_guard(tmp_path: Path) -> None:
    async with Watch((_node(tmp_path, "spark1"),), Limits(temperature=None)) as watch:
        blind = watch.blind

        assert watch.off == ("memory-free-floor", "temperature")
        assert blind["spark1"]["driver-memory"] == "/dev/kmsg: it is not there"
        assert "memory-floor" not in blind["spark1"]
        assert "temperature" not in blind["spark1"], "who is off is not blind"
        assert set(blind[""]) == {"error-rate", "foreign-requests", "endpoint-lost"}
