"""A server that came up, but not at the endpoint: an arm's command with another port than the one that is measured.

An engine that loads a model listens on many ports (rendezvous, workers, RPC), some of which a stray connection would
upset. So only ports are asked that the command itself names, or that engines have unless told otherwise, and a server
counts only when it answers as an OpenAI-compatible one while nobody answers at the endpoint, for a while: a proxy in
front of it may still come up.
Sources: default ports of llama-server (8080), vLLM (8000), SGLang (30000), in their own help.
"""

__all__ = ["listening_words", "served_elsewhere"]

import asyncio
import time
from collections.abc import Callable, Iterable
from typing import Final

from sparktune.errors import EndpointError
from sparktune.io.http.address import Address, parse_address
from sparktune.io.http.client import Client
from sparktune.io.http.usage import is_model_list
from sparktune.io.launching.address import answers
from sparktune.io.launching.proc import Seen, listening_ports
from sparktune.units import Seconds

_EVERY_S: Final[Seconds] = 2.0
_LASTS_S: Final[Seconds] = 30.0
_PROBE_S: Final[Seconds] = 2.0
_USUAL: Final = frozenset({8000, 8080, 30000})
_OK: Final = 200
_KEY_WANTED: Final = frozenset({401, 403})
_SHOWN: Final = 4

Processes = Callable[[], tuple[Seen, ...]]


async def served_elsewhere(address: Address, processes: Processes) -> str:
    """Return which process of ours serves on which other port, once it has done so for a while; else never return."""
    since: float | None = None
    while True:
        await asyncio.sleep(_EVERY_S)
        found = "" if await answers(address) else await _server_of(_other_ports(address, processes()))
        if not found:
            since = None
            continue
        since = time.monotonic() if since is None else since
        if time.monotonic() - since >= _LASTS_S:
            return f"{found}, the endpoint is {address.authority}"


def listening_words(address: Address, processes: Iterable[Seen]) -> str:
    """Say on which other ports our processes listen, "" when one listens on the endpoint's, or none at all."""
    told = [f"pid {one.pid} ({one.name}) listens on {port}" for one, port in _other_ports(address, processes)]
    return f"{'; '.join(told[:_SHOWN])}, the endpoint is {address.authority}" if told else ""


def _other_ports(address: Address, processes: Iterable[Seen]) -> list[tuple[Seen, int]]:
    found = [(one, port) for one in processes for port in listening_ports(one.pid)]
    return [] if any(port == address.target.port for _, port in found) else found


async def _server_of(listening: Iterable[tuple[Seen, int]]) -> str:
    for one, port in listening:
        named = port in _USUAL or any(str(port) in word.replace("=", ":").split(":") for word in one.argv)
        if named and await _is_server(port):
            return f"pid {one.pid} ({one.name}) serves on port {port}"
    return ""


async def _is_server(port: int) -> bool:
    try:
        async with Client(parse_address(f"http://127.0.0.1:{port}/v1")) as client:
            answer = await client.get("/v1/models", timeout_s=_PROBE_S)
    except EndpointError:
        return False
    return answer.status in _KEY_WANTED or (answer.status == _OK and is_model_list(answer.body))
