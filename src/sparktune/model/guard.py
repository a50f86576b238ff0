"""What a guard sees of a host and of a load, and what it says when a limit is crossed."""

__all__ = ["GpuProcess", "GpuTick", "Guard", "GuardView", "HostTick", "Limits", "LoadTick", "Phase", "Trip"]

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from sparktune.units import Bytes, Celsius, Hertz, Nanoseconds, Ratio, Seconds, Watts


class Phase(Enum):
    """What is being done: limits are tightest while an engine starts and during its first long prefill."""

    STARTING = "starting"
    FIRST_PREFILL = "first prefill"
    LOAD = "load"
    TAIL = "tail"  # the minute after an arm
    IDLE = "idle"


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuTick:
    """A GPU at a tick; None for what it does not tell."""

    sm_clock: Hertz | None = None
    power: Watts | None = None
    temperature: Celsius | None = None
    utilisation: Ratio | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuProcess:
    """A process that holds the GPU; ``ours`` is whether it belongs to the measured service, None where unknown."""

    pid: int
    name: str
    memory: Bytes | None
    ours: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HostTick:
    """A node at one instant; None for what cannot be read there, and then no guard speaks of it.

    ``hottest`` is the highest temperature of its zones and GPUs.

    ``swapped_in_pages`` and ``swapped_out_pages`` count since boot. ``memory_stall_ns`` is the total of ``full`` in
    /proc/pressure/memory. ``driver_lines`` counts the driver's out-of-memory lines that the kernel's log still holds,
    ``driver_line`` is the last of them; ``oom_kills`` counts the kernel's since boot. ``gpu*`` may be older than the
    tick: they are asked for more seldom.
    """

    node: str
    monotonic_ns: Nanoseconds
    wall_ns: Nanoseconds
    available: Bytes | None = None
    free: Bytes | None = None
    total: Bytes | None = None
    swapped_in_pages: int | None = None
    swapped_out_pages: int | None = None
    memory_stall_ns: Nanoseconds | None = None
    driver_lines: int | None = None
    driver_line: str = ""
    oom_kills: int | None = None
    hottest: Celsius | None = None
    gpus: tuple[GpuTick, ...] = ()
    gpu_processes: tuple[GpuProcess, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadTick:
    """The load at one instant: requests so far, those that failed, those in flight, and what the server counts itself.

    ``failed_how`` is how most of them failed, in one line. ``unanswered_s`` is for how long the endpoint has not
    answered a plain question, 0 while it does, None unasked.
    """

    monotonic_ns: Nanoseconds
    requests: int = 0
    failed: int = 0
    failed_how: str = ""
    in_flight: int = 0
    server_running: int | None = None
    unanswered_s: Seconds | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """When a guard stops; every one can be set, and None switches it off. Sources are in the guards' files."""

    available_floor: Bytes | None = 3 * 1024**3
    free_floor: Bytes | None = None
    seconds_to_floor: Seconds | None = 5.0
    swap_pages: int | None = 256
    swap_pages_at_once: int | None = 4096
    driver_lines: int | None = 3
    stall_share: Ratio | None = 0.2
    temperature: Celsius | None = 95.0
    low_clock_hz: Hertz | None = 900e6
    foreign_gpu: bool = True
    foreign_requests: bool = True
    error_share: Ratio | None = 0.01
    unanswered_s: Seconds | None = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardView:
    """A node's last two minutes, oldest first, and the load's; ``first`` is the tick with which the arm began.

    A guard that looks at the load alone gets one without ticks, whose ``node`` is "".
    """

    node: str
    phase: Phase
    first: HostTick
    ticks: tuple[HostTick, ...]
    load: tuple[LoadTick, ...] = ()
    baseline_failed_share: Ratio | None = None
    """The other arm's share of failed requests, where it is known."""

    @property
    def tight(self) -> bool:
        """Whether an engine starts or reads its first long prompt: less is waited for, and more is looked ahead."""
        return self.phase in {Phase.STARTING, Phase.FIRST_PREFILL}


@dataclass(frozen=True, slots=True, kw_only=True)
class Trip:
    """A limit that was crossed: ``evidence`` has the values and the limit, ``hint`` what to do."""

    guard: str
    node: str
    evidence: str
    hint: str
    monotonic_ns: Nanoseconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """One guard; the constant ``GUARD`` of one file in ``experiment/guards``.

    ``id`` is a stable word (``memory-floor``). ``judge`` is pure, raises nothing, and is silent about what is unknown.
    ``needs`` names the fields of HostTick or LoadTick that it looks at (``gpus.power``: of the parts of one), so that
    what cannot be watched is said. ``limit`` is the field of Limits by which it is switched, "" for one that is always
    on.
    """

    id: str
    title: str
    why: str
    source: str
    needs: tuple[str, ...]
    judge: Callable[[GuardView, Limits], Trip | None]
    limit: str = ""
