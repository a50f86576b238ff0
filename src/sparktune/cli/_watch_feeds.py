"""What ``sparktune watch`` asks besides its nodes: the engine, drift and doctor of the service that is configured."""

__all__ = ["WatchArguments", "WatchFeeds", "check_flags", "feeds_of"]

import asyncio
import os
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from sparktune.cli._drift import DriftArguments, seconds_of, wish_of
from sparktune.cli._nodes import targets_of
from sparktune.errors import UsageError
from sparktune.flows.drift import DriftWish
from sparktune.flows.watch.asked import Bell, Question, Questions, ask_on
from sparktune.flows.watch.engine import watch_engine
from sparktune.flows.watch.run import watch
from sparktune.io.cluster import NodeTarget
from sparktune.io.config import CONFIG_NAME, find_config, load_config
from sparktune.io.http.address import parse_address
from sparktune.io.secrets import Secret, read_api_key
from sparktune.report.watch import WatchedNode
from sparktune.report.watch.state import News, NodeState, WatchState
from sparktune.units import Seconds

_AGAIN_S: Final[Seconds] = 10.0
_ENGINE_S: Final[Seconds] = 2.0
_NEVER: Final = "never"


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchArguments:
    """The flags as they were given."""

    nodes: str = ""
    roots: tuple[Path, ...] = ()
    interval_s: Seconds = 1.0
    count: int = 0
    service: str = ""
    url: str = ""
    ask_every: str = "10m"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Endpoint:
    service: str
    url: str
    key: Secret | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchFeeds:
    """Everything that brings news. ``ask_every_s`` None: drift and doctor are not asked.

    A node that does not answer is tried again after ``again_s`` seconds, never with None.
    """

    targets: tuple[NodeTarget, ...]
    interval_s: Seconds
    count: int
    ask_every_s: Seconds | None
    endpoint: _Endpoint | None = None
    why_no_engine: str = ""
    wish: DriftWish | None = None
    why_no_drift: str = ""
    bell: Bell = field(default_factory=Bell)
    again_s: Seconds | None = _AGAIN_S

    def begin(self) -> WatchState:
        """Return the state before the first news."""
        now_s = time.monotonic()
        return WatchState(
            nodes=tuple(NodeState(node=WatchedNode(name=one.name), seen_s=now_s) for one in self.targets),
            interval_s=self.interval_s,
            why_no_engine=self.why_no_engine,
            why_no_drift=self.why_no_drift,
            why_no_doctor="switched off by --ask-every never" if self.ask_every_s is None else "",
        )

    async def run(self, post: Callable[[News], None]) -> bool:
        """Bring news until the nodes end or this is cancelled. Returns whether all nodes answered to the end."""
        nodes = asyncio.create_task(
            watch(
                self.targets,
                lambda node: post(News(at_s=time.monotonic(), node=node)),
                interval_s=self.interval_s,
                count=self.count,
                again_s=self.again_s,
            )
        )
        open_tasks: set[asyncio.Task[Any]] = {nodes, *(asyncio.create_task(one) for one in self._others(post))}
        try:
            while not nodes.done():
                done, open_tasks = await asyncio.wait(open_tasks, return_when=asyncio.FIRST_COMPLETED)
                for one in done:
                    one.result()
            return nodes.result()
        finally:
            for one in open_tasks:
                one.cancel()
                with suppress(asyncio.CancelledError):
                    await one

    def _others(self, post: Callable[[News], None]) -> list[Coroutine[Any, Any, None]]:
        clock, end = time.monotonic, self.endpoint
        found: list[Coroutine[Any, Any, None]] = []
        if end is not None:
            pace_s = max(_ENGINE_S, self.interval_s)
            found.append(
                watch_engine(
                    end.service, end.url, end.key, lambda one: post(News(at_s=clock(), engine=one)), interval_s=pace_s
                )
            )
        if self.ask_every_s is None:
            return found
        questions = Questions(self.targets, self.wish)
        asked: list[Question[Any]] = [
            Question(questions.doctor, lambda one: post(News(at_s=clock(), doctor=one))),
        ]
        if self.wish is not None:
            asked.append(Question(questions.drift, lambda one: post(News(at_s=clock(), drift=one))))
        found.append(ask_on(asked, clock, every_s=self.ask_every_s, bell=self.bell))
        return found


def check_flags(arguments: WatchArguments) -> None:
    """Raise UsageError for flags that cannot be understood, also where nothing of them would be shown."""
    _ask_every(arguments)
    _endpoint(arguments)


def feeds_of(arguments: WatchArguments, *, again_s: Seconds | None = _AGAIN_S) -> WatchFeeds:
    """Return what is watched, and why the rest is not. Raises UsageError for flags that cannot be understood."""
    ask_every_s = _ask_every(arguments)
    targets = targets_of(arguments.nodes, arguments.roots)
    endpoint, why_no_engine = _endpoint(arguments)
    wish, why_no_drift = _wish(arguments) if ask_every_s is not None else (None, "switched off by --ask-every never")
    return WatchFeeds(
        targets=targets,
        interval_s=arguments.interval_s,
        count=arguments.count,
        ask_every_s=ask_every_s,
        endpoint=endpoint,
        why_no_engine=why_no_engine,
        wish=wish,
        why_no_drift=why_no_drift,
        again_s=again_s,
    )


def _ask_every(arguments: WatchArguments) -> Seconds | None:
    return None if arguments.ask_every == _NEVER else seconds_of(arguments.ask_every, "--ask-every")


def _endpoint(arguments: WatchArguments) -> tuple[_Endpoint | None, str]:
    """Return the server to ask: the flag's, else the service's; what was asked for by name has to be there."""
    if arguments.url:
        parse_address(arguments.url)
        key = read_api_key(os.environ)
        return _Endpoint(service=arguments.service or "at --url", url=arguments.url, key=key.secret), ""
    if arguments.roots and not arguments.service:
        return None, "these nodes are captured trees; name a server with --url"
    try:
        return _configured(arguments.service), ""
    except UsageError as error:
        if arguments.service:
            raise
        return None, _with_hint(error)


def _configured(name: str) -> _Endpoint:
    path = find_config(Path.cwd())
    config = load_config(path) if path is not None else None
    if config is None or not config.services:
        message = f"{config.path} names no service" if config else f"no {CONFIG_NAME} is here or above"
        raise UsageError(message, hint="write one with: sparktune init; or name a server: --url URL")
    service = config.service(name or None)
    key = read_api_key(os.environ, file=config.key_file(service), variable=service.api_key_env)
    known = name or next(key for key, one in config.services.items() if one is service)
    return _Endpoint(service=known, url=service.endpoint, key=key.secret)


def _wish(arguments: WatchArguments) -> tuple[DriftWish | None, str]:
    if arguments.roots and not arguments.service:
        return None, "these nodes are captured trees; name a service with --service"
    try:
        return wish_of(DriftArguments(service=arguments.service, nodes=arguments.nodes)), ""
    except UsageError as error:
        return None, _with_hint(error)


def _with_hint(error: UsageError) -> str:
    return f"{error}; {error.hint}" if error.hint else str(error)
