"""Wait for a server that generates: only a real token proves that a model is loaded and can be measured.

Sources: OpenAI API reference, chat completions and completions (``choices``, ``usage.completion_tokens``); vLLM and
SGLang put reasoning into ``reasoning_content`` or ``reasoning``.
"""

__all__ = ["await_answer"]

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Final

import msgspec

from sparktune.errors import ArmFailed, AuthRejected, ConnectFailed, EndpointError, NotReady, NotTrusted, UsageError
from sparktune.io.http.address import Address, parse_address
from sparktune.io.http.client import Client
from sparktune.io.http.errors import answer_error
from sparktune.io.http.server import Server
from sparktune.io.http.usage import encode
from sparktune.io.launching.elsewhere import listening_words, served_elsewhere
from sparktune.io.launching.proc import Seen
from sparktune.io.secrets import Secret
from sparktune.io.time_limit import time_limit
from sparktune.model.engine import JsonValue
from sparktune.model.options import Api
from sparktune.units import Seconds, Tokens, format_duration

_RETRY_S: Final[Seconds] = 0.2
_LOOK_S: Final[Seconds] = 0.05
_TOKEN_S: Final[Seconds] = 600.0  # the first one may compile kernels
_ODD_S: Final[Seconds] = 30.0  # a server that is starting up may answer oddly for a while
_HANGS_S: Final[Seconds] = 2.0  # the last attempt lasts longer than refusing would
_TOKENS: Final[Tokens] = 2
_TEXT_KEYS: Final = ("content", "reasoning_content", "reasoning", "text", "tool_calls")
_GOOD: Final = 200
_PORT_HINT: Final = "the arm's command and --url (url: in a file) have to name the same port"


async def await_answer(
    base_url: str,
    api_key: Secret | None,
    limit_s: Seconds,
    ended: Callable[[], str],
    processes: Callable[[], tuple[Seen, ...]] = tuple,
) -> str:
    """Return the model that has generated a token.

    ``ended`` tells how the server's process ended, "" while it runs; ``processes`` are those that were started.
    Raises ArmFailed at once when the process ends, soon when it serves on another port, or when nothing was generated
    within ``limit_s``; AuthRejected.
    """
    address = parse_address(base_url)
    asking = asyncio.create_task(_until_token(base_url, api_key, limit_s))
    elsewhere = asyncio.create_task(served_elsewhere(address, processes))
    try:
        while not asking.done():
            how = ended()
            if how:
                message = f"the server did not come up: {how}"
                raise ArmFailed(message, hint="run the arm's command by hand and see what it says")
            if elsewhere.done():
                message = f"the server came up elsewhere: {elsewhere.result()}"
                raise ArmFailed(message, hint=_PORT_HINT)
            await asyncio.wait({asking, elsewhere}, timeout=_LOOK_S, return_when=asyncio.FIRST_COMPLETED)
        return _token(asking, address, processes)
    finally:
        for task in (asking, elsewhere):
            task.cancel()
            with suppress(asyncio.CancelledError, EndpointError, ArmFailed, UsageError):
                await task


def _token(asking: asyncio.Task[str], address: Address, processes: Callable[[], tuple[Seen, ...]]) -> str:
    """Return what was waited for. Where it did not come, say on which other ports the server listens."""
    try:
        return asking.result()
    except ArmFailed as error:
        listens = listening_words(address, processes())
        if listens:
            message = f"{error}; {listens}"
            raise ArmFailed(message, hint=f"{error.hint}; {_PORT_HINT}") from None
        raise


async def _until_token(base_url: str, api_key: Secret | None, limit_s: Seconds) -> str:
    began = attempt = time.monotonic()
    last: EndpointError | None = None
    odd_since: float | None = None
    try:
        async with time_limit(limit_s):
            while True:
                attempt = time.monotonic()
                try:
                    return await _one_token(base_url, api_key)
                except (AuthRejected, NotTrusted):
                    raise
                except (ConnectFailed, NotReady) as error:
                    last, odd_since = error, None
                except EndpointError as error:
                    last, odd_since = error, odd_since or time.monotonic()
                    if time.monotonic() - odd_since > min(_ODD_S, limit_s / 2):
                        raise
                await asyncio.sleep(_RETRY_S)
    except TimeoutError:
        now = time.monotonic()
        hangs = last is None or now - attempt > min(_HANGS_S, limit_s / 2)
        why = "the server does not finish its answer" if hangs else str(last)
        message = f"no token was generated within {format_duration(now - began)}: {why}"
        more = "wait_s: of the arm, in an experiment file, allows more time"
        known = last.hint if isinstance(last, ConnectFailed) and not hangs else ""
        raise ArmFailed(message, hint=f"{known}; or {more}" if known else more) from None


async def _one_token(base_url: str, api_key: Secret | None) -> str:
    async with Server(base_url, api_key) as server:
        _engine, facts = await server.probe()
        address = server.address
    model = facts.models[0] if facts.models else ""
    async with Client(address, api_key) as client:
        ask = _asker(client)
        chat: Mapping[str, JsonValue] = {"messages": [{"role": "user", "content": "Say one word."}]}
        if not await ask(Api.CHAT, model, chat, False):
            await ask(Api.COMPLETIONS, model, {"prompt": "One"}, True)
    return model


def _asker(client: Client) -> Callable[[Api, str, Mapping[str, JsonValue], bool], Awaitable[bool]]:
    async def ask(api: Api, model: str, content: Mapping[str, JsonValue], must: bool) -> bool:  # noqa: FBT001
        """Tell whether a token came. Raises EndpointError for what the next route would not make better."""
        path = f"/v1/{api.value}"
        body = encode({"model": model, **content, "max_tokens": _TOKENS, "stream": False})
        answer = await client.post(path, body, timeout_s=_TOKEN_S)
        if answer.status == _GOOD and _generated(answer.body):
            return True
        error = answer_error(client.address, answer, path=path, keyed=client.keyed, doing="a first token")
        if must or isinstance(error, NotReady | AuthRejected):
            raise error
        return False

    return ask


def _generated(body: bytes) -> bool:
    """Tell whether a completion has output: text of any kind, or a count of tokens."""
    try:
        answer = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return False
    choices = answer.get("choices") if isinstance(answer, dict) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        return False
    usage: Any = answer.get("usage")
    counted = usage.get("completion_tokens") if isinstance(usage, dict) else None
    if isinstance(counted, int):
        return counted > 0
    message: Any = choices[0].get("message", choices[0])
    return isinstance(message, dict) and any(message.get(key) for key in _TEXT_KEYS)
