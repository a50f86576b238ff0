"""Prompts against a real llama.cpp server: what it counts is what was asked for, and what it caches is the context."""

import asyncio
from dataclasses import replace

import msgspec
import pytest

from sparktune.errors import RequestRejected, UsageError
from sparktune.flows.bench.prepare import Preparation
from sparktune.io.corpus import python_corpus
from sparktune.io.demo_server import DemoServer
from sparktune.io.http.server import Server
from sparktune.model.cell import Cell
from sparktune.model.engine import Engine, EngineFacts
from sparktune.model.options import Api, SendOptions
from sparktune.model.prepared import PreparedRequest
from sparktune.model.timeline import Usage
from sparktune.model.trial import Phase

_CELLS = [
    Cell(prompt_tokens=prompt, output_tokens=2, depth=depth, concurrency=2)
    for prompt, depth in ((60, 0), (61, 0), (300, 0), (1500, 0), (60, 300), (200, 1000))
]
# The tiny model's tokenizer falls back to bytes, so that another nonce may have some tokens more.
_NONCE_TOKENS = 8
# What follows a context in the request that loads it: the end of its message, the short prompt, the answer's start.
_TAIL_TOKENS = 40


async def _usage(server: Server, api: Api, request: PreparedRequest) -> Usage:
    """Send a prepared request, but not streamed, so that its counts come back at once."""
    body = msgspec.json.decode(request.body)
    del body["stream"], body["stream_options"]
    return await server.usage_of(api, msgspec.json.encode(body))


async def _ready(server: Server) -> tuple[Engine, EngineFacts]:
    return await server.wait_ready(limit_s=60)


@pytest.mark.parametrize("cell", _CELLS, ids=lambda cell: cell.label)
@pytest.mark.parametrize("api", Api)
@pytest.mark.parametrize("by_usage", [False, True], ids=["tokenizer", "usage"])
async def test_the_server_counts_what_was_asked(
    llama_server: DemoServer, cell: Cell, api: Api, *, by_usage: bool
) -> None:
    """Calibrated on usage, only the fitted text is known to be exact; another nonce may cut otherwise."""
    async with Server(llama_server.base_url) as server:
        engine, facts = await _ready(server)
        asked_engine = replace(engine, tokenize=None) if by_usage else engine
        options = SendOptions(model=facts.models[0], api=api)
        preparation = Preparation(server, asked_engine, options, python_corpus())
        wave = await preparation.wave(cell, key=f"run-{by_usage}", phase=Phase.MEASURE, index=0)
        # llama.cpp puts a context over another one that shares a tenth with it: these share less, their template.
        loads = await asyncio.gather(*(_usage(server, api, request) for request in wave.contexts))
        usages = await asyncio.gather(*(_usage(server, api, request) for request in wave.requests))

    assert (wave.residual, wave.counted_by) == (0, "usage" if by_usage else "tokenizer")
    tolerance = _NONCE_TOKENS if by_usage else 0
    asked = cell.depth + cell.prompt_tokens
    for usage in usages:
        assert usage.prompt_tokens is not None
        assert abs(usage.prompt_tokens - asked) <= tolerance
    assert len(loads) == (cell.concurrency if cell.depth else 0)
    if cell.depth:
        for load, usage in zip(loads, usages, strict=True):
            assert load.prompt_tokens is not None
            assert load.cached_tokens is not None
            assert usage.cached_tokens is not None
            assert abs(load.prompt_tokens - cell.depth) <= tolerance
            assert load.cached_tokens < cell.depth // 2
            assert load.prompt_tokens - _TAIL_TOKENS <= usage.cached_tokens <= load.prompt_tokens
    else:
        assert all(usage.cached_tokens == 0 for usage in usages)


async def test_a_prompt_shorter_than_its_template(llama_server: DemoServer) -> None:
    """The chat template alone takes more tokens than were asked for; the hint says what is possible, and it is."""
    async with Server(llama_server.base_url) as server:
        engine, facts = await _ready(server)
        preparation = Preparation(server, engine, SendOptions(model=facts.models[0]), python_corpus())
        with pytest.raises(UsageError, match="a prompt of 5 tokens cannot be sent") as caught:
            await preparation.check([Cell(prompt_tokens=5, output_tokens=1)])
        smallest = int(caught.value.hint.split("at least ")[1].split()[0])
        await preparation.check([Cell(prompt_tokens=smallest, output_tokens=1)])


async def test_a_cell_longer_than_the_context(llama_server: DemoServer) -> None:
    """By usage the server itself refuses, with its numbers; with its limit known nothing is sent at all."""
    cell = Cell(prompt_tokens=20_000, output_tokens=16)
    async with Server(llama_server.base_url) as server:
        engine, facts = await _ready(server)
        options = SendOptions(model=facts.models[0])
        counting = Preparation(server, replace(engine, tokenize=None), options, python_corpus())
        with pytest.raises(
            RequestRejected, match=r"the prompt for pp20000 tg16 c1 is too long .*\d+ tokens, the limit"
        ):
            await counting.check([cell])
        knowing = Preparation(server, engine, options, python_corpus(), max_model_len=facts.max_model_len)
        with pytest.raises(
            RequestRejected, match="pp20000 tg16 c1 needs 20016 tokens per request, the server takes 8192"
        ):
            await knowing.check([cell])
