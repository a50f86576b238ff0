"""Plan a trial of a thread: what it is, what stands against moving it, where it would go, which sensor decides."""

__all__ = ["TrialWish", "plan_idle_trial"]

from collections.abc import Callable
from dataclasses import dataclass

from sparktune.errors import NodeUnreachable, PlanRefused, UsageError
from sparktune.experiment.design import blocks_of
from sparktune.experiment.difference import DifferenceRules
from sparktune.experiment.idle_trial import HOTTEST_CHIP, HOTTEST_ZONE, IdleTrial, ThreadId
from sparktune.experiment.rules import Rules
from sparktune.flows.place.scan import NodeScan
from sparktune.host.cpulist import parse_cpulist
from sparktune.host.heat import FIRST_READS, heat_and_power
from sparktune.host.pinning.choose import choose
from sparktune.host.pinning.cpusets import group_of, group_reads
from sparktune.host.pinning.seen import first_reads, seen_of
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.session import NodeSession
from sparktune.model.pin import LeftThread, PinWish, PlaceSeen
from sparktune.model.place import Poller
from sparktune.model.reads import Readings
from sparktune.units import Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialWish:
    """What somebody asks for. ``cpus`` () are the efficiency cores; ``sensor`` "" is the hottest of what is told."""

    tid: int
    cpus: tuple[int, ...] = ()
    accept_likely: bool = False
    settle_s: Seconds = 120.0
    window_s: Seconds = 60.0
    blocks: int = Rules().last.blocks
    sensor: str = ""
    endpoint: str = ""


async def plan_idle_trial(
    target: NodeTarget,
    scan: NodeScan,
    wish: TrialWish,
    *,
    trial_id: str,
    now_s: Seconds,
    seed: int,
    draw: Callable[[], float],
) -> IdleTrial:
    """Return the trial. Its ``sensor`` is "" where the node tells no temperature: then nothing can be shown at idle.

    Raises PlanRefused for a thread that must not be moved, or cannot; NodeError.
    """
    poller = _poller(scan, wish.tid)
    seen, heat = await _look(target, poller)
    pin = choose(poller, _pin_wish(scan.node, wish), seen)
    if isinstance(pin, LeftThread):
        message = f"{pin.what}: {pin.reason}"
        raise PlanRefused(message, hint=pin.hint or "there is no other way to place it that could be compared")
    thread = poller.thread
    looks = tuple(look for look in Rules().looks if look.blocks <= wish.blocks)
    return IdleTrial(
        id=trial_id,
        created_wall_s=now_s,
        node=target.name,
        thread=ThreadId(
            pid=thread.pid, tid=thread.tid, start_ticks=thread.start_ticks, name=thread.name, process=thread.process
        ),
        title=f"{poller.verdict.value}: {poller.why}",
        before=tuple(sorted(parse_cpulist(pin.before))),
        cpus=tuple(sorted(pin.cpus)),
        blocks=blocks_of(wish.blocks, (), draw),
        rules=DifferenceRules(looks=looks or Rules().looks),
        settle_s=wish.settle_s,
        window_s=wish.window_s,
        seed=seed,
        sensor=_sensor(heat, wish.sensor),
        endpoint=wish.endpoint,
    )


def _poller(scan: NodeScan, tid: int) -> Poller:
    if scan.failure:
        message = f"{scan.node}: {scan.failure.removeprefix(f'{scan.node}: ')}"
        raise NodeUnreachable(message, hint=scan.hint)
    found = next((one for one in scan.pollers if one.thread.tid == tid), None)
    if found is None:
        message = f"no thread {tid} of {scan.node} wants a core now: it sleeps, has ended, or never was"
        raise PlanRefused(message, hint=f"see which ones do: sparktune place scan --nodes {scan.node}")
    return found


async def _look(target: NodeTarget, poller: Poller) -> tuple[PlaceSeen, Readings]:
    pid = poller.thread.pid
    async with NodeSession(target) as session:
        hello, first = await session.greet_and_observe((*first_reads([pid]), *FIRST_READS))
        groups = await session.observe(group_reads([group_of(pid, first)]))
    return seen_of(hello.boot_id, first, groups, [pid]), first


def _pin_wish(node: str, wish: TrialWish) -> PinWish:
    return PinWish(tids={node: (wish.tid,)}, cpus=wish.cpus, once=True, accept_likely=wish.accept_likely)


def _sensor(readings: Readings, wanted: str) -> str:
    """Return the temperature that decides, "" when there is none. Raises UsageError for one that is not told."""
    told, _power = heat_and_power(readings)
    groups = {
        HOTTEST_ZONE: [name for name in told if name.startswith("zone ")],
        HOTTEST_CHIP: [name for name in told if not name.startswith(("zone ", "GPU "))],
        "GPU 0": [name for name in told if name == "GPU 0"],
    }
    names = [*(name for name, members in groups.items() if members), *told]
    if wanted and wanted not in names:
        message = f"the node tells no temperature of {wanted!r}"
        raise UsageError(message, hint=f"it tells: {', '.join(dict.fromkeys(names)) or 'none'}")
    return wanted or next(iter(names), "")
