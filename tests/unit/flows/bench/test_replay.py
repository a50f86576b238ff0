"""A replay sends what a trace says: exact lengths, the same beginnings, the recorded times; new words in every wave."""

from dataclasses import replace
from itertools import takewhile

import msgspec
import pytest
from tests.unit.flows.bench.test_mixes import _TEMPLATE, _sent, _Server

from sparktune.bench.corpus import Corpus
from sparktune.engines import by_name
from sparktune.errors import RequestRejected, UsageError
from sparktune.flows.bench.prepare import Preparation
from sparktune.model.cell import Cell
from sparktune.model.mix import Replay
from sparktune.model.options import Api, SendOptions
from sparktune.model.prepared import PreparedWave
from sparktune.model.traffic import Traffic, TrafficRequest
from sparktune.model.trial import Phase

_TEXT = " ".join(f"word{index % 977} {'and' * (index % 3)}" for index in range(4000))


def _one(
    number: int, at_s: float, prompt: int, output: int | None = 5, shared: tuple[int, int] | None = None
) -> TrafficRequest:
    parent, tokens = shared or (None, 0)
    return TrafficRequest(
        number=number,
        at_s=at_s,
        prompt_tokens=prompt,
        output_tokens=output,
        shared_with=parent,
        shared_tokens=tokens,
        place=f"t.jsonl line {number + 1}",
    )


_REQUESTS = (
    _one(0, 0.0, 300),
    _one(1, 0.25, 400, None, (0, 200)),
    _one(2, 0.25, 300, 0, (0, 300)),  # the same prompt again
    _one(3, 1.5, 600, 7, (1, 400)),  # the next turn
    _one(4, 2.0, 120),
    _one(5, 2.5, 250, 5, (0, 250)),  # the beginning of another one, and nothing of its own
)


def _preparation(
    server: _Server, requests: tuple[TrafficRequest, ...] = _REQUESTS, limit: int | None = None, api: Api = Api.CHAT
) -> Preparation:
    traffic = Traffic(name="t.jsonl", digest="abcdef", requests=requests)
    corpus = Corpus(name="test", text=_TEXT, traffic=traffic)
    return Preparation(server, by_name("vllm"), SendOptions(model="m", api=api), corpus, max_model_len=limit)


def _cell(count: int = len(_REQUESTS), scale: float = 1.0) -> Cell:
    replay = Replay(name="t.jsonl", digest="abcdef", count=count, time_scale=scale)
    return Cell(prompt_tokens=0, output_tokens=9, replay=replay)


def _texts(wave: PreparedWave) -> list[str]:
    return ["".join(text for _, text in _sent(request.body)) for request in wave.requests]


@pytest.mark.parametrize("api", Api)
@pytest.mark.parametrize("tells", [("tokenize", "usage"), ("usage",)], ids=["tokenizer", "usage"])
async def test_lengths_beginnings_and_times_are_those_of_the_trace(api: Api, tells: tuple[str, ...]) -> None:
    server = _Server(*tells)
    wave = await _preparation(server, api=api).wave(_cell(), key="run", phase=Phase.MEASURE, index=0)
    texts = _texts(wave)

    assert [server.tokens(_sent(one.body)) for one in wave.requests] == [one.prompt_tokens for one in _REQUESTS]
    assert wave.residual == 0
    assert [one.output_tokens_asked for one in wave.requests] == [5, 9, 1, 7, 5, 5]
    assert [start.delay_s for start in wave.starts] == [0.0, 0.25, 0.25, 1.5, 2.0, 2.5]
    assert all(start.after is None for start in wave.starts)
    for request in _REQUESTS:
        for other in _REQUESTS[: request.number]:
            common = len(_common(texts[request.number], texts[other.number]).split())
            wanted = _shared(request, other)
            # What a template adds behind a text, and one new word, cannot be shared.
            assert common == pytest.approx(wanted, abs=_TEMPLATE + 5), (request.number, other.number)


def _common(one: str, other: str) -> str:
    return "".join(mine for mine, _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _shared(request: TrafficRequest, other: TrafficRequest) -> int:
    """Return what two prompts have in common, by way of what they both begin like."""

    def line(one: TrafficRequest) -> dict[int, int]:
        found, most = {one.number: one.prompt_tokens}, one.prompt_tokens
        while one.shared_with is not None:
            most = min(most, one.shared_tokens)
            found[one.shared_with] = most
            one = _REQUESTS[one.shared_with]
        return found

    mine, its = line(request), line(other)
    return max((min(mine[number], its[number]) for number in mine.keys() & its.keys()), default=0)


async def test_another_wave_begins_with_other_words() -> None:
    """It finds nothing of the wave before it in the server's cache."""
    preparation = _preparation(_Server())
    waves = [
        _texts(await preparation.wave(_cell(), key="run", phase=Phase.MEASURE, index=index)) for index in (0, 1, 0)
    ]

    assert waves[0] == waves[2]
    assert max(len(_common(mine, its)) for mine in waves[0] for its in waves[1]) < 10


async def test_times_are_scaled() -> None:
    wave = await _preparation(_Server()).wave(_cell(scale=0.5), key="run", phase=Phase.MEASURE, index=0)

    assert [start.delay_s for start in wave.starts] == [0.0, 0.125, 0.125, 0.75, 1.0, 1.25]


async def test_the_cache_may_be_used() -> None:
    wave = await _preparation(_Server()).wave(_cell(), key="run", phase=Phase.MEASURE, index=0)

    assert all("cache_salt" not in msgspec.json.decode(request.body) for request in wave.requests)


@pytest.mark.parametrize("limit", [607, 606])
async def test_a_request_longer_than_the_server_takes_is_told_by_its_line(limit: int) -> None:
    preparation = _preparation(_Server(), limit=limit)
    if limit == 607:
        await preparation.check([_cell()])
        return
    with pytest.raises(RequestRejected, match=r"t\.jsonl line 4: .* 607 tokens, the server takes 606"):
        await preparation.check([_cell()])


async def test_a_prompt_shorter_than_its_template_is_told_by_its_line() -> None:
    with pytest.raises(UsageError, match=r"t\.jsonl line 1: .*shortest") as caught:
        await _preparation(_Server(), (_one(0, 0.0, 3),)).wave(_cell(1), key="run", phase=Phase.MEASURE, index=0)

    assert "completions" in caught.value.hint


async def test_another_trace_is_not_taken_for_the_one_that_was_begun() -> None:
    cell = _cell()
    assert cell.replay is not None
    other = replace(cell, replay=replace(cell.replay, digest="other"))
    with pytest.raises(UsageError, match="not at hand"):
        await _preparation(_Server()).check([other])
