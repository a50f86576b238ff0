"""What state a service of several ranks is in, and in which order it is brought back. Pure.

A rank that is up is not healthy: when the head has ended, its workers stay up and wait for a group that is gone, and a
head that is restarted alone joins a dead group. What is known here is only what containers and units tell; that a
service serves is proven by a generated token and nothing else. Exit codes: 128 + N is the end by signal N; 3 is used by
start scripts of some launchers for "it runs already", which systemd takes for a failure unless the unit says otherwise
(systemd.service(5), SuccessExitStatus=).
"""

__all__ = ["Judgement", "Part", "State", "judge", "parts_of"]

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from typing import Final

from sparktune.host.service.facts import ServiceFacts
from sparktune.host.service.flags import flag_text
from sparktune.model.arm_action import ServiceProcess
from sparktune.units import Seconds, format_duration

_APART_S: Final[Seconds] = 900.0  # ranks of one start are not further apart: that is how long a start is waited for
_RUNS_ALREADY: Final = 3
_KILLED: Final = 137
_AGAIN: Final = frozenset({"restarting", "activating"})
_RETRIES: Final = frozenset({"on-failure", "on-abnormal", "on-abort"})
_HEAD_WORDS: Final = ("head", "leader", "master", "rank0", "rank-0", "rank_0", "node_0", "_solo")


class State(Enum):
    """What is the matter; the first one that fits."""

    UP = "every rank is up"
    HEAD_GONE = "the head has ended and workers are still up"
    WORKER_GONE = "a worker has ended and the head is still up"
    HEAD_ALONE = "the head was restarted alone"
    WORKER_ALONE = "a worker was restarted alone"
    RESTARTING = "a rank is started again and again"
    RUNS_ALREADY = "its start says that it runs already"
    DOWN = "no rank is up"
    UNKNOWN = "what runs cannot be seen"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One rank. ``status`` in Docker's or systemd's word, "" when there is none of it; ``up`` whether it has processes.

    ``started_s`` and ``ended_s`` are Unix times, None when not told. ``policy`` is what restarts it. ``unknown`` says
    why it cannot be seen.
    """

    name: str
    head: bool = False
    up: bool = False
    status: str = ""
    exit_code: int | None = None
    oom_killed: bool = False
    started_s: Seconds | None = None
    ended_s: Seconds | None = None
    restarts: int = 0
    policy: str = ""
    unit: bool = False
    unknown: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """``says`` what is so, and of each rank; ``order`` are the steps that bring it back; ``notes`` say what else."""

    state: State
    says: str
    order: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def judge(parts: Sequence[Part], now_s: Seconds) -> Judgement:
    """Judge the ranks of one service, in the order in which they are started."""
    state = _state(parts)
    told = "; ".join(_told(part, now_s) for part in parts)
    notes = tuple(note for part in parts for note in _notes(part))
    return Judgement(state=state, says=f"{state.value}: {told}", order=_order(state, parts), notes=notes)


def parts_of(services: Sequence[ServiceProcess], facts: Sequence[ServiceFacts]) -> tuple[Part, ...]:
    """Return the ranks as they were seen. Of two or more, the head is the one that says so; else the last one started.

    What says so: its label (``sparkrun.rank``), its flags (``--node-rank 0``), its name. A worker says ``--headless``.
    """
    parts = [_part(service, seen) for service, seen in zip(services, facts, strict=True)]
    heads = [_is_head(service, seen) for service, seen in zip(services, facts, strict=True)]
    if not any(heads) and parts:
        open_ = [place for place, head in enumerate(heads) if head is None]
        heads[open_[-1] if open_ else -1] = True
    return tuple(replace(part, head=bool(head)) for part, head in zip(parts, heads, strict=True))


def _state(parts: Sequence[Part]) -> State:
    down = [part for part in parts if not part.up]
    up = [part for part in parts if part.up]
    rules: tuple[tuple[Callable[[], bool], State], ...] = (
        (lambda: any(part.unknown for part in parts), State.UNKNOWN),
        (lambda: any(part.status in _AGAIN and part.restarts for part in parts), State.RESTARTING),
        (lambda: any(part.exit_code == _RUNS_ALREADY for part in down), State.RUNS_ALREADY),
        (lambda: not up, State.DOWN),
        (lambda: any(part.head for part in down), State.HEAD_GONE),
        (lambda: bool(down), State.WORKER_GONE),
    )
    found = next((state for holds, state in rules if holds()), None)
    return found if found is not None else _apart(up)


def _apart(parts: Sequence[Part]) -> State:
    """Tell whether ranks that are all up were started by one start."""
    started = [part.started_s for part in parts if part.started_s is not None]
    if len(started) < len(parts) or max(started, default=0.0) - min(started, default=0.0) <= _APART_S:
        return State.UP
    last = max(parts, key=lambda part: part.started_s or 0.0)
    return State.HEAD_ALONE if last.head else State.WORKER_ALONE


def _order(state: State, parts: Sequence[Part]) -> tuple[str, ...]:
    """Return the steps: the head goes first, since it holds the meeting point; workers are up before it is started."""
    heads = [part.name for part in parts if part.head]
    workers = [part.name for part in parts if not part.head]
    if state in {State.UP, State.UNKNOWN}:
        return ()
    if state is State.RUNS_ALREADY:
        return ("see what runs already, and stop it", "then start the service once")
    if state is State.DOWN or not workers:
        return tuple(f"start {name}" for name in (*workers, *heads))
    return (
        *(f"remove {name}, so that its port for the other ranks is free" for name in heads),
        *(f"restart {name}" for name in workers),
        *(f"then start {name}" for name in heads),
        "it is back when it generates a token",
    )


def _told(part: Part, now_s: Seconds) -> str:
    if part.unknown:
        return f"{part.name} cannot be seen ({part.unknown})"
    role = "head" if part.head else "worker"
    if not part.status:
        return f"{part.name} ({role}) is not there"
    at_s = part.started_s if part.up else part.ended_s
    since = f" for {format_duration(max(now_s - at_s, 0.0))}" if at_s is not None else ""
    code = f" with exit code {part.exit_code}" if not part.up and part.exit_code is not None else ""
    return f"{part.name} ({role}) is {'up' if part.up else part.status}{code}{since}"


def _notes(part: Part) -> tuple[str, ...]:
    if part.up or part.exit_code is None:
        return ()
    notes = []
    if part.exit_code == 0 and part.policy in _RETRIES:
        notes.append(f"{part.name}: Restart={part.policy} starts nothing again that ended with exit code 0")
    if part.exit_code == _RUNS_ALREADY:
        what = f"{part.name}: exit code 3 is how some start scripts say that the service runs already"
        storm = (
            "; with SuccessExitStatus=3 and RemainAfterExit=yes systemd takes it so and does not try again and again"
        )
        notes.append(what + (storm if part.unit else ""))
    if part.oom_killed:
        notes.append(f"{part.name}: it was killed because its memory was over the limit of its container")
    elif part.exit_code == _KILLED:
        notes.append(
            f"{part.name}: exit code 137 is SIGKILL; by whom is not known: look at the kernel's log and earlyoom's"
        )
    return tuple(notes)


def _part(service: ServiceProcess, seen: ServiceFacts) -> Part:
    name = " ".join(word for word in (service.node, _part_name(service, seen)) if word)
    if seen.unknown:
        return Part(name=name, unknown=seen.unknown, unit=bool(service.unit))
    if seen.unit is not None:
        unit = seen.unit
        return Part(
            name=name,
            up=bool(unit.main_pid),
            status=unit.active if unit.loaded else "",
            exit_code=unit.exit_code,
            restarts=unit.restarts,
            policy=unit.restart,
            unit=True,
        )
    running = [one for one in seen.containers if one.running]
    last = max(running or seen.containers, key=lambda one: one.started_at, default=None)
    if last is None:
        return Part(name=name)
    return Part(
        name=name,
        up=last.running,
        status=last.status,
        exit_code=last.exit_code,
        oom_killed=last.oom_killed,
        started_s=_time(last.started_at),
        ended_s=_time(last.finished_at),
        restarts=1 if last.status == "restarting" else 0,
        policy=last.restart,
    )


def _part_name(service: ServiceProcess, seen: ServiceFacts) -> str:
    if service.unit:
        return service.unit
    if seen.containers:
        return seen.containers[0].name
    return ", ".join(f"{name}={value}" for name, value in service.labels.items())


def _is_head(service: ServiceProcess, seen: ServiceFacts) -> bool | None:
    """Tell whether a rank is the head, None when nothing says so."""
    rank = _rank(service.labels)
    for process in seen.processes:
        rank = flag_text(process.argv, "--node-rank") or rank
        if flag_text(process.argv, "--headless") is not None:
            return False
    if rank:
        return rank == "0"
    name = _part_name(service, seen).lower()
    return True if any(word in name for word in _HEAD_WORDS) else None


def _rank(labels: Mapping[str, str]) -> str:
    return labels.get("sparkrun.rank", "")


def _time(text: str) -> Seconds | None:
    """Return the Unix time of what Docker writes (RFC 3339, nanoseconds), None for its year 1, which means never."""
    try:
        found = datetime.fromisoformat(text[:19] + "+00:00")
    except ValueError:
        return None
    return found.timestamp() if found.year > 1 else None
