"""Watch the parts of a service while it comes up, and judge them when it does not."""

__all__ = ["ServiceHealth"]

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Final

from sparktune.errors import ArmFailed, HostError, NodeError
from sparktune.host.service.facts import ServiceFacts
from sparktune.host.service.state import Judgement, State, judge, parts_of
from sparktune.io.launching.service_look import look_at_service
from sparktune.io.launching.settings import HoldSettings
from sparktune.io.launching.words import Words
from sparktune.io.together import together
from sparktune.io.transport.session import NodeSession
from sparktune.model.arm_action import ServiceProcess
from sparktune.units import Seconds

_LOOK_S: Final[Seconds] = 2.0
_ENDED: Final = frozenset({State.HEAD_GONE, State.WORKER_GONE, State.DOWN, State.RUNS_ALREADY, State.RESTARTING})


class ServiceHealth:
    """What containers and units tell of a service: never that it serves, but that it cannot."""

    def __init__(self, settings: HoldSettings, words: Words) -> None:
        """Look at nothing yet."""
        self._settings, self._words = settings, words

    async def judged(self, services: Sequence[ServiceProcess]) -> Judgement:
        """Judge the parts of a service. Raises NodeError, HostError."""

        async def look(service: ServiceProcess) -> ServiceFacts:
            async with NodeSession(self._settings.target(service.node)) as node:
                return await look_at_service(node, service)

        services = _declared(services)
        facts = await together(*map(look, services))
        return judge(parts_of(services, facts), time.time())

    @asynccontextmanager
    async def watched(self, services: Sequence[ServiceProcess]) -> AsyncIterator[Callable[[], str]]:
        """Give a question that answers with how the service has ended, "" while nothing says so.

        It has ended when two looks in a row say so: containers are made one after the other.
        """
        told: list[str] = [""]

        async def watch() -> None:
            before: State | None = None
            while not told[0]:
                await asyncio.sleep(_LOOK_S)
                with suppress(NodeError, HostError):
                    found = await self.judged(services)
                    if found.state in _ENDED and before is found.state:
                        told[0] = self._words.hide(found.says)
                    before = found.state

        task = asyncio.create_task(watch()) if _declared(services) else None
        try:
            yield lambda: told[0]
        finally:
            if task is not None:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task

    async def explained(self, error: ArmFailed, services: Sequence[ServiceProcess]) -> ArmFailed:
        """Return the error with what state the service is in and the order in which it is brought back."""
        if not _declared(services):
            return error
        try:
            found = await self.judged(services)
        except (NodeError, HostError):
            return error
        says = self._words.hide(found.says)
        message = str(error) if says in str(error) or found.state is State.UP else f"{error}; {says}"
        hint = f"bring it back in this order: {', '.join(found.order)}" if found.order else error.hint
        return ArmFailed(message, hint="; ".join(part for part in (hint, *found.notes) if part))


def _declared(services: Sequence[ServiceProcess]) -> list[ServiceProcess]:
    """Return the parts that something besides their processes tells of: a plain one is not there until it listens."""
    return [one for one in services if one.labels or one.unit]
