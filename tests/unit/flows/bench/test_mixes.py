"""Households and own prompts are prepared whole: exact lengths, a shared prefix where it is meant, no other."""

from collections.abc import Callable

import msgspec
import pytest
from tests.support import tokenizers

from sparktune.bench.corpus import Corpus, OwnPrompt
from sparktune.engines import by_name
from sparktune.errors import RequestRejected, UsageError
from sparktune.flows.bench.prepare import Preparation
from sparktune.model.arrival import Start
from sparktune.model.cell import Cell
from sparktune.model.engine import Engine
from sparktune.model.mix import Household, OwnPrompts
from sparktune.model.options import Api, SendOptions
from sparktune.model.prepared import Messages, PreparedRequest
from sparktune.model.timeline import Usage
from sparktune.model.trial import Phase

_TEXT = " ".join(f"word{index % 977} {'and' * (index % 3)}" for index in range(4000))
_TEMPLATE = 7  # tokens around each message
_MIX = Household(opening_tokens=120, turns=3, turn_tokens=80, reply_tokens=16, long_tokens=500, long_reply_tokens=8)
_OWN = (
    OwnPrompt(place="own.jsonl line 1", messages=(("", "first"),)),
    OwnPrompt(place="own.jsonl line 2", messages=(("system", "be short"), ("user", "second")), output_tokens=9),
    OwnPrompt(place="own.jsonl line 4", messages=(("", "third, and longer"),)),
)


class _Server:
    """Counts words and a template; ``tells`` says by which ways."""

    def __init__(self, *tells: str) -> None:
        self.tells = tells or ("tokenize", "usage")
        self.bodies: list[bytes] = []

    async def count_tokens(self, engine: Engine, messages: Messages, options: SendOptions) -> int | None:
        """Count as the tokenize route does."""
        del engine, options
        return self.tokens(messages) if "tokenize" in self.tells else None

    async def usage_of(self, api: Api, body: bytes, *, doing: str = "") -> Usage:
        """Count as the answer to a request does."""
        del api, doing
        self.bodies.append(body)
        return Usage(prompt_tokens=self.tokens(_sent(body)) if "usage" in self.tells else None)

    def tokens(self, messages: Messages) -> int:
        """Count a request."""
        count: Callable[[str], int] = tokenizers.words
        return sum((_TEMPLATE if role else 0) + count(content) for role, content in messages)


def _sent(body: bytes) -> Messages:
    fields = msgspec.json.decode(body)
    if "prompt" in fields:
        return (("", fields["prompt"]),)
    return tuple((message["role"], message["content"]) for message in fields["messages"])


def _preparation(server: _Server, api: Api = Api.CHAT, limit: int | None = None) -> Preparation:
    corpus = Corpus(name="test", text=_TEXT, prompts=_OWN)
    return Preparation(server, by_name("vllm"), SendOptions(model="m", api=api), corpus, max_model_len=limit)


def _own_cell(*, nonce: bool = False, concurrency: int = 2) -> Cell:
    prompts = OwnPrompts(name="own.jsonl", digest="abc", count=len(_OWN), nonce=nonce)
    return Cell(prompt_tokens=0, output_tokens=5, concurrency=concurrency, prompts=prompts)


def _text(request: PreparedRequest) -> str:
    return "".join(content for _, content in _sent(request.body))


@pytest.mark.parametrize("api", Api)
@pytest.mark.parametrize("tells", [("tokenize", "usage"), ("usage",)], ids=["tokenizer", "usage"])
async def test_every_turn_repeats_what_was_sent_before_it(api: Api, tells: tuple[str, ...]) -> None:
    server = _Server(*tells)
    wave = await _preparation(server, api).wave(Cell.of_household(_MIX), key="run", phase=Phase.MEASURE, index=0)
    *turns, long = wave.requests

    assert [request.stream for request in wave.requests] == [0, 1, 2, 3]
    assert [request.prompt_tokens_asked for request in wave.requests] == [120, 200, 280, 500]
    assert [server.tokens(_sent(request.body)) for request in wave.requests] == [120, 200, 280, 500]
    assert [request.output_tokens_asked for request in wave.requests] == [16, 16, 16, 8]
    texts = [_text(turn) for turn in turns]
    assert texts[1].startswith(texts[0])
    assert texts[2].startswith(texts[1])
    assert long.prompt_sha256 not in {turn.prompt_sha256 for turn in turns}
    assert len({turn.prompt_sha256 for turn in turns}) == 1
    assert wave.starts == (Start(), Start(after=0), Start(after=1), Start(after=1, reads=4))


async def test_the_roles_of_a_session_alternate() -> None:
    wave = await _preparation(_Server()).wave(Cell.of_household(_MIX), key="run", phase=Phase.MEASURE, index=0)
    roles = [role for role, _ in _sent(wave.requests[2].body)]

    assert roles == ["user", "assistant", "user", "assistant", "user"]


async def test_another_wave_shares_nothing_with_this_one() -> None:
    """Its first turn is cold, whatever the waves before have left in the cache."""
    preparation = _preparation(_Server("usage"))
    cell = Cell.of_household(_MIX)
    waves = [await preparation.wave(cell, key="run", phase=Phase.MEASURE, index=index) for index in (0, 1, 0)]
    beginnings = [(wave.requests[0].prompt_sha256, wave.requests[3].prompt_sha256) for wave in waves]

    assert beginnings[0] == beginnings[2]
    assert not set(beginnings[0]) & set(beginnings[1])


@pytest.mark.parametrize(("limit", "fits"), [(508, True), (507, False), (295, False)])
async def test_a_household_longer_than_the_server_takes(limit: int, *, fits: bool) -> None:
    preparation = _preparation(_Server(), limit=limit)
    if fits:
        await preparation.check([Cell.of_household(_MIX)])
        return
    with pytest.raises(RequestRejected, match=f"needs 508 tokens per request, the server takes {limit}"):
        await preparation.check([Cell.of_household(_MIX)])


async def test_a_turn_too_small_for_what_it_holds() -> None:
    tight = Household(opening_tokens=120, turns=2, turn_tokens=12, reply_tokens=8, long_tokens=100, long_reply_tokens=8)
    with pytest.raises(UsageError, match="a turn 2 of 12 tokens cannot be sent"):
        await _preparation(_Server()).check([Cell.of_household(tight)])


async def test_own_prompts_are_sent_as_they_are() -> None:
    preparation = _preparation(_Server())
    waves = [await preparation.wave(_own_cell(), key="run", phase=Phase.MEASURE, index=index) for index in (0, 1)]

    assert [_sent(request.body) for request in waves[0].requests] == [
        (("user", "first"),),
        (("system", "be short"), ("user", "second")),
        (("user", "third, and longer"),),
    ]
    assert waves[0].requests == waves[1].requests
    assert [request.output_tokens_asked for request in waves[0].requests] == [5, 9, 5]
    assert [request.prompt_tokens_asked for request in waves[0].requests] == [8, 17, 10]
    assert waves[0].starts == (Start(), Start(), Start(after=0))


async def test_a_nonce_goes_in_front_and_is_new_in_every_wave() -> None:
    preparation = _preparation(_Server())
    waves = [
        await preparation.wave(_own_cell(nonce=True), key="run", phase=Phase.MEASURE, index=index) for index in (0, 1)
    ]
    digests = [request.prompt_sha256 for wave in waves for request in wave.requests]

    assert len(set(digests)) == 6
    assert [_text(request)[-5:] for request in waves[0].requests] == ["first", "econd", "onger"]
    assert waves[0].requests[0].prompt_tokens_counted == waves[0].requests[0].prompt_tokens_asked > 8


@pytest.mark.parametrize("tells", [("usage",), ("nothing",)])
async def test_prompts_that_only_a_request_could_count_are_not_counted(tells: tuple[str, ...]) -> None:
    """Counting them would leave them in the server's cache before they are measured."""
    server = _Server(*tells)
    wave = await _preparation(server).wave(_own_cell(), key="run", phase=Phase.MEASURE, index=0)

    assert [request.prompt_tokens_asked for request in wave.requests] == [0, 0, 0]
    assert [request.prompt_tokens_counted for request in wave.requests] == [None, None, None]
    assert not any("third" in _text_of(body) for body in server.bodies)


def _text_of(body: bytes) -> str:
    return "".join(content for _, content in _sent(body))


async def test_an_own_prompt_longer_than_the_server_takes_is_named() -> None:
    with pytest.raises(RequestRejected, match=r"own\.jsonl line 2: 17 prompt and 9 output tokens, the server takes 20"):
        await _preparation(_Server(), limit=20).check([_own_cell()])


async def test_messages_have_no_place_in_a_plain_completion() -> None:
    with pytest.raises(UsageError, match=r"own\.jsonl line 2: messages go to the chat route only"):
        await _preparation(_Server(), Api.COMPLETIONS).check([_own_cell()])


async def test_prompts_of_another_file_are_not_taken() -> None:
    prompts = OwnPrompts(name="other.jsonl", digest="abc", count=7)
    cell = Cell(prompt_tokens=0, output_tokens=5, prompts=prompts)
    with pytest.raises(UsageError, match=r"the prompts of other\.jsonl are not at hand"):
        await _preparation(_Server()).check([cell])
