"""A cluster as ``sparktune watch`` may see it: made-up nodes, an engine, drift and findings, fed to the screen.

Also the example of the picture in the pages; its numbers are of no machine.
"""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from sparktune.bench.engine_look import EngineLook
from sparktune.host.core_types import CoreSplit
from sparktune.host.facts.gpu import Gpu
from sparktune.host.live import CoreLoad, Frame, HotThread
from sparktune.model.drift import DriftCell, DriftRow, DriftStatus
from sparktune.model.finding import Finding, Severity
from sparktune.model.observed import State, absent, present
from sparktune.report.watch import Answered, WatchedEngine, WatchedNode
from sparktune.report.watch.marks import Glyphs, line_of
from sparktune.report.watch.state import News, WatchState, updated
from sparktune.report.watch.view import Choice, View, ruled, view_of

GIB = 1024**3
NOW_S = 1000.0
SPLIT = CoreSplit(
    performance=frozenset((*range(5, 10), *range(15, 20))),
    efficiency=frozenset((*range(5), *range(10, 15))),
    basis="made up",
)


def gpu(**values: float) -> Gpu:
    """Return a GPU that tells what is named."""
    fields = ("temperature", "utilization", "power", "power_limit", "sm_clock_hz", "max_sm_clock_hz")
    told = {name: present(values[name]) if name in values else absent() for name in fields}
    return Gpu(
        index=0,
        name=present("NVIDIA GB10"),
        bus_id=absent(),
        driver=absent(),
        vbios=absent(),
        performance_state=absent(),
        memory_total=absent(),
        clock_reasons=absent(),
        **told,
    )


def frame(available: int, *, at_s: float = 60.0, busy: float = 0.0) -> Frame:
    """Return a look at a node of 20 cores with one thread that polls; ``busy`` is added to the load of all."""
    return Frame(
        wall_ns=round(at_s * 1e9),
        missed=0,
        cores=tuple(
            CoreLoad(
                cpu=cpu,
                load=min(1.0, busy + (1.0 if cpu == 7 else 0.03 * (cpu % 5))),
                clock_hz=3.9e9 if cpu in SPLIT.performance else 2.81e9,
            )
            for cpu in range(20)
        ),
        hottest_zone=63.4 + 20 * busy,
        gpus=(gpu(utilization=0.94, sm_clock_hz=2.411e9, temperature=66.0, power=61.3),),
        available=available,
        total=round(119.7 * GIB),
        swap_used=0,
        swap_in_per_s=0.0,
        swap_out_per_s=0.0,
        threads=(
            HotThread(pid=4711, tid=4790, name="VLLM::Worker", cpu=7, share=0.998),
            HotThread(pid=4711, tid=4802, name="nccl-watchdog", cpu=6, share=0.31),
            HotThread(pid=2210, tid=2210, name="python3", cpu=12, share=0.12),
            HotThread(pid=903, tid=903, name="dockerd", cpu=2, share=0.06),
        ),
    )


def node(name: str, available: int = 21 * GIB, *, at_s: float = 60.0, busy: float = 0.0) -> WatchedNode:
    """Return a node that answers."""
    return WatchedNode(name=name, split=SPLIT, frame=frame(available, at_s=at_s, busy=busy))


LOST = WatchedNode(name="spark3", failure="spark3: ssh: connect to host spark3 port 22: No route to host")

ENGINE = WatchedEngine(
    service="chat",
    engine="vllm 0.33.0",
    model="some/model-30b",
    look=EngineLook(
        running=6.0,
        waiting=2.0,
        kv_use=0.613,
        window_s=15.2,
        output_tok_s=148.3,
        prompt_tok_s=2210.0,
        first_tokens=9.0,
        ttft_s=0.412,
        drafts=310.0,
        accepted_share=0.71,
        accepted_length=2.42,
        preemptions=0.0,
    ),
)


def cell(text: str, place: str = "") -> DriftCell:
    """Return a layer that says something."""
    return DriftCell(state=State.PRESENT, value=text, text=text, place=place)


ROWS = (
    DriftRow(
        key="max_num_seqs",
        node="spark1",
        aspect="settings",
        status=DriftStatus.NOT_LIVE,
        earned=cell("8", "earned.yaml"),
        file=cell("8", "compose.yaml:12"),
        live=cell("4", "pid 4711"),
        why="the server was started before the file was changed",
        hint="sparktune drift restore max_num_seqs",
    ),
    DriftRow(
        key="kernel",
        node="spark2",
        aspect="kernel",
        status=DriftStatus.UNREADABLE,
        live=DriftCell(state=State.UNREADABLE, why="permission denied"),
    ),
    DriftRow(
        key="gpu_util", node="spark1", aspect="settings", status=DriftStatus.OK, file=cell("0.8"), live=cell("0.8")
    ),
)

FINDINGS = (
    Finding(
        rule="gid-index-empty",
        severity=Severity.ERROR,
        node="spark2",
        evidence="NCCL_IB_GID_INDEX=5 is an empty entry of rocep1s0f0",
        hint="leave it unset: NCCL finds the entry by itself",
    ),
    Finding(
        rule="mtu-not-persistent",
        severity=Severity.WARNING,
        node="spark2",
        evidence="enP2p1s0f1np1 has MTU 9000 now, and no file sets it",
        hint="set it in netplan, too",
    ),
    Finding(
        rule="swap-on", severity=Severity.INFO, node="spark1", evidence="swap is on, and not used", hint="nothing to do"
    ),
)

DRIFT = Answered(every_s=600.0, items=ROWS, at_s=NOW_S - 185, took_s=2.0)
DOCTOR = Answered(every_s=600.0, items=FINDINGS, at_s=NOW_S - 187, took_s=2.0)


def news(*nodes: WatchedNode) -> tuple[News, ...]:
    """Return the news that make the example, these nodes in it."""
    return (
        *(News(at_s=NOW_S, node=one) for one in nodes),
        News(at_s=NOW_S, engine=ENGINE),
        News(at_s=NOW_S, doctor=DOCTOR),
        News(at_s=NOW_S, drift=DRIFT),
    )


def example_news() -> tuple[News, ...]:
    """Return a minute of three nodes, the third of which does not answer."""
    early = News(at_s=NOW_S - 60, node=node("spark1", round(22.4 * GIB), at_s=0.0))
    return (early, *news(node("spark1"), node("spark2", round(5.2 * GIB), busy=0.3), LOST))


def state_of(*pieces: News) -> WatchState:
    """Return the state after some news."""
    state = WatchState()
    for one in pieces:
        state = updated(state, one)
    return state


def feed_of(*pieces: News, answered: bool | None = None) -> Callable[[Callable[[News], None]], Awaitable[bool]]:
    """Return a feed that brings the news at once, and ends with ``answered``, or never."""

    async def feed(post: Callable[[News], None]) -> bool:
        import asyncio  # noqa: PLC0415 # what is pure in here is for tests that may not have it

        for one in pieces:
            post(one)
        if answered is None:
            await asyncio.Event().wait()
        return bool(answered)

    return feed


def quiet(name: str) -> WatchedNode:
    """Return a node that tells next to nothing."""
    silent = replace(
        frame(0),
        cores=(CoreLoad(cpu=0, load=None), CoreLoad(cpu=1, load=None)),
        hottest_zone=None,
        gpus=(gpu(),),
        available=None,
        swap_used=None,
        swap_in_per_s=None,
        threads=(),
    )
    return WatchedNode(name=name, frame=silent)


def example_state() -> WatchState:
    """Return the state after the example's news."""
    return state_of(*example_news())


def shown(state: WatchState, **chosen: object) -> list[str]:
    """Return the rows of the screen at ``NOW_S``, 100 columns and 29 rows unless chosen otherwise."""
    choice = replace(Choice(columns=100, rows=29), **chosen)  # type: ignore[arg-type] # names of its fields
    return _rows(view_of(state, choice, NOW_S), choice)


def _rows(view: View, choice: Choice) -> list[str]:
    """Return the rows as bare text, rules and titles too."""
    rule = Glyphs.of(ascii_only=choice.ascii_only).rule
    rows = [line_of(view.status)]
    for panel in view.panels:
        if panel.title:
            rows.append(ruled(panel.title, choice.columns, rule))
        rows += [line_of(line) for line in panel.lines]
    return rows
