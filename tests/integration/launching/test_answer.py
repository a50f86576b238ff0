"""Waiting for a first token: what is worth waiting for, and what is said when it was not."""

import asyncio
import json
import os
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from sparktune.errors import ArmFailed, AuthRejected, ConnectFailed, NotTrusted, RequestRejected
from sparktune.io.launching import answer as waiting
from sparktune.io.launching import elsewhere
from sparktune.io.launching.answer import await_answer
from sparktune.io.launching.proc import look_at

_MODELS = {"object": "list", "data": [{"id": "m"}]}
_CHAT = "/v1/chat/completions"
_PLAIN = "/v1/completions"
Routes = Mapping[str, list[tuple[int, object]]]


@asynccontextmanager
async def _serving(routes: Routes | None) -> AsyncIterator[tuple[str, list[str]]]:
    """Answer each route with its answers in turn, the last one for ever; None: accept, and never answer."""
    asked: list[str] = []
    left = {path: list(answers) for path, answers in (routes or {}).items()}

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            path = head.split()[1]
            asked.append(path)
            if routes is None:
                await reader.read()
            known = left.get(path, [(404, {})])
            status, content = known.pop(0) if len(known) > 1 else known[0]
            body = json.dumps(content).encode()
            writer.write(f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nConnection: close\r\n".encode())
            writer.write(f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        finally:
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", asked


def _completion(**choice: object) -> tuple[int, object]:
    return 200, {"choices": [choice]}


@pytest.mark.parametrize(
    "answer",
    [
        _completion(message={"content": "hi"}),
        _completion(message={"content": None, "reasoning_content": "hm"}),
        _completion(message={"content": "", "tool_calls": [{}]}),
        (200, {"choices": [{"message": {"content": ""}}], "usage": {"completion_tokens": 1}}),
    ],
    ids=["text", "reasoning", "tool call", "counted"],
)
async def test_a_token_of_any_kind_is_one(answer: tuple[int, object]) -> None:
    """A reasoning model may say nothing that a user sees for a long time."""
    async with _serving({"/v1/models": [(200, _MODELS)], _CHAT: [answer]}) as (url, _asked):
        assert await await_answer(url, None, 30.0, str) == "m"


async def test_a_model_without_a_chat_template_is_asked_plainly() -> None:
    routes: Routes = {
        "/v1/models": [(200, _MODELS)],
        _CHAT: [(400, {"error": {"message": "no chat template"}})],
        _PLAIN: [_completion(text=" two")],
    }
    async with _serving(routes) as (url, asked):
        await await_answer(url, None, 30.0, str)
    assert asked[-1] == _PLAIN


async def test_loading_is_waited_for() -> None:
    routes: Routes = {
        "/v1/models": [(503, {}), (200, _MODELS)],
        _CHAT: [(503, {}), _completion(message={"content": "x"})],
    }
    async with _serving(routes) as (url, asked):
        await await_answer(url, None, 30.0, str)
    assert asked.count("/v1/models") >= 3, "twice it was not ready"


async def test_an_answer_without_a_token_is_none() -> None:
    empty = (200, {"choices": [{"message": {"content": ""}}], "usage": {"completion_tokens": 0}})
    routes: Routes = {"/v1/models": [(200, _MODELS)], _CHAT: [empty], _PLAIN: [empty]}
    async with _serving(routes) as (url, _asked):
        with pytest.raises(Exception, match=f"{_PLAIN} answers no JSON of the OpenAI form"):
            await await_answer(url, None, 4.0, str)  # half of it is for answers as odd as this one


async def test_a_refused_key_is_not_waited_for() -> None:
    async with _serving({"/v1/models": [(401, {})]}) as (url, _asked):
        with pytest.raises(AuthRejected):
            await await_answer(url, None, 600.0, str)


async def test_a_certificate_that_is_not_trusted_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was waited for a quarter of an hour per arm, and once more for the original."""

    async def refused(*_: object) -> str:
        message = "the certificate of spark:8000 is not trusted"
        raise NotTrusted(message)

    monkeypatch.setattr(waiting, "_one_token", refused)
    with pytest.raises(NotTrusted):
        await await_answer("https://spark:8000/v1", None, 1e6, str)


async def test_what_stood_in_the_way_says_what_mends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """More time does not make a server out of a wrong port."""
    ends = iter([ConnectFailed("nobody listens", hint="does the server run?"), TimeoutError()])

    async def attempt(*_: object) -> str:
        raise next(ends)

    monkeypatch.setattr(waiting, "_one_token", attempt)
    with pytest.raises(ArmFailed, match="nobody listens") as caught:
        await await_answer("http://spark:8000/v1", None, 600.0, str)

    assert caught.value.hint == "does the server run?; or wait_s: of the arm, in an experiment file, allows more time"


async def test_what_stays_odd_ends_the_waiting_early() -> None:
    """A server that is up and refuses will refuse in a quarter of an hour, too."""
    routes: Routes = {"/v1/models": [(200, _MODELS)], _CHAT: [(400, {})], _PLAIN: [(400, {"message": "broken"})]}
    async with _serving(routes) as (url, _asked):
        with pytest.raises((RequestRejected, ArmFailed), match=r"broken|does not finish"):
            await await_answer(url, None, 1.0, str)


async def test_a_server_that_hangs_is_not_called_absent() -> None:
    async with _serving(None) as (url, _asked):
        with pytest.raises(ArmFailed, match="the server does not finish its answer"):
            await await_answer(url, None, 0.3, str)


async def test_a_port_that_no_command_names_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stray connection can upset the workers of an engine that is loading."""
    monkeypatch.setattr(elsewhere, "_EVERY_S", 0.02)
    monkeypatch.setattr(elsewhere, "_LASTS_S", 0.0)
    me = look_at(os.getpid())
    assert me is not None
    async with _serving({"/v1/models": [(200, _MODELS)]}) as (url, asked):
        port = int(url.removesuffix("/v1").rpartition(":")[2])
        with socket.create_server(("127.0.0.1", 0)) as taken:
            nobody = taken.getsockname()[1]
        endpoint = f"http://127.0.0.1:{nobody}/v1"
        with pytest.raises(ArmFailed, match=f"listens on {port}, the endpoint is 127.0.0.1:{nobody}"):
            await await_answer(endpoint, None, 0.5, str, lambda: (replace(me, argv=("server", "--workers", "2")),))
        assert asked == []
        with pytest.raises(ArmFailed, match=f"serves on port {port}, the endpoint is"):
            await await_answer(endpoint, None, 60.0, str, lambda: (replace(me, argv=("server", f"--port={port}")),))
        assert "/v1/models" in asked


async def test_the_end_of_the_process_ends_the_waiting() -> None:
    async with _serving(None) as (url, _asked):
        with pytest.raises(ArmFailed, match="did not come up: it ended with exit code 7"):
            await await_answer(url, None, 600.0, lambda: "it ended with exit code 7")
