"""End a plain process of a service on this machine: the one that listens at its port, known by number and start time.

Nothing is known by its name. What descends from it is left to it, as its user would leave it, until it has to be
killed.
"""

__all__ = ["end_plain"]

import asyncio
import signal
import time
from collections.abc import Sequence
from typing import Final

from sparktune.errors import ArmFailed, UsageError
from sparktune.host.service.facts import NodeProcess
from sparktune.io.cluster import NodeTarget
from sparktune.io.launching.ending import signal_all
from sparktune.io.launching.proc import Kin, still_lives
from sparktune.io.launching.service_look import look_at_service, serves
from sparktune.io.transport.session import NodeSession
from sparktune.model.arm_action import ServiceProcess
from sparktune.units import Seconds, format_duration

_LOOK_S: Final[Seconds] = 0.1
_KILL_S: Final[Seconds] = 10.0


async def end_plain(target: NodeTarget, service: ServiceProcess, *, terminate_s: Seconds) -> str:
    """Ask it to end, then kill it and what descends from it; return what has to be said of that, "" for nothing.

    Raises ArmFailed when it does not end, UsageError for a service of another machine, NodeError.
    """
    if target.host is not None or target.root is not None:
        message = (
            f"the process at port {service.port} of {target.name} is not this machine's, and is not ended from here"
        )
        raise UsageError(message, hint="make it a systemd unit, and use launcher: systemd")
    async with NodeSession(target) as node:
        facts = await look_at_service(node, service)
        seen = await serves(node, service, service.port, ()) if facts.processes else None
    if not facts.processes:
        return ""
    if seen is None or seen.serving.process is None:
        why = seen.serving.why if seen is not None else "nothing serves"
        message = f"what listens at port {service.port} is not ended: {why}"
        raise ArmFailed(message, hint="stop it by the command that started it, and say that one under stop:")
    every = _kin(facts.processes)
    if terminate_s:
        signal_all(_kin([seen.serving.process]), signal.SIGTERM)
        if await _gone(every, terminate_s):
            return ""
    signal_all(every, signal.SIGKILL)
    if not await _gone(every, _KILL_S):
        left = ", ".join(f"pid {one.pid}" for one in every if still_lives(one))
        message = f"{left}, which served at port {service.port}, cannot be ended"
        raise ArmFailed(message, hint="a process that waits for a device ends with the device, or at a reboot")
    waited = f"what served at port {service.port} did not end within {format_duration(terminate_s)} of being asked"
    return f"{waited}, and was killed" if terminate_s else ""


def _kin(processes: Sequence[NodeProcess]) -> tuple[Kin, ...]:
    return tuple(
        Kin(pid=one.pid, start_ticks=one.start_ticks, parent=one.parent, session=0, dead=False) for one in processes
    )


async def _gone(processes: Sequence[Kin], limit_s: Seconds) -> bool:
    until = time.monotonic() + limit_s
    while left := any(map(still_lives, processes)):
        if time.monotonic() >= until:
            break
        await asyncio.sleep(_LOOK_S)
    return not left
