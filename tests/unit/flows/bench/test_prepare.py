"""Waves are prepared whole: exact, unique, the same again for the same key, and with few questions."""

from collections import Counter

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support import tokenizers

from sparktune.bench.corpus import Corpus
from sparktune.engines import by_name
from sparktune.errors import NotOpenAI, RequestRejected, UsageError
from sparktune.flows.bench.prepare import Preparation
from sparktune.model.cell import Cell
from sparktune.model.engine import Engine
from sparktune.model.options import Api, SendOptions
from sparktune.model.prepared import Messages, PreparedRequest, PreparedWave
from sparktune.model.timeline import Usage
from sparktune.model.trial import Phase

_CORPUS = Corpus(name="test", text=" ".join(f"word{index % 977} {'and' * (index % 3)}" for index in range(4000)))
_TEMPLATE = 7  # tokens around each message
_REPLY = 3  # tokens that start the answer


class FakeServer:
    """Counts as a server with a chat template does; ``tells`` says by which ways."""

    def __init__(self, count: tokenizers.Count, *, tokenize: bool = True, usage: bool = True, drift: int = 0) -> None:
        self._count = count
        self._tokenize = tokenize
        self._usage = usage
        self._drift = drift
        self.asked: Counter[str] = Counter()
        self.doing: set[str] = set()

    async def count_tokens(self, engine: Engine, messages: Messages, options: SendOptions) -> int | None:
        """Count as the tokenize route does."""
        del engine, options
        self.asked["tokenize"] += 1
        return self.tokens(messages) - self._drift if self._tokenize else None

    async def usage_of(self, api: Api, body: bytes, *, doing: str = "") -> Usage:
        """Count as the answer to a request does."""
        del api
        self.asked["usage"] += 1
        self.doing.add(doing)
        return Usage(prompt_tokens=self.tokens(sent(body)) if self._usage else None)

    def tokens(self, messages: Messages) -> int:
        """Count a request, its template included; a plain text has none."""
        if not messages[0][0]:
            return self._count(messages[0][1])
        return _REPLY + sum(_TEMPLATE + self._count(content) for _, content in messages)


def sent(body: bytes) -> Messages:
    """Read back what a request sends."""
    fields = msgspec.json.decode(body)
    if "prompt" in fields:
        return (("", fields["prompt"]),)
    return tuple((message["role"], message["content"]) for message in fields["messages"])


def _preparation(server: FakeServer, api: Api = Api.CHAT, seed: int = 0, limit: int | None = None) -> Preparation:
    options = SendOptions(model="m", api=api)
    return Preparation(server, by_name("vllm"), options, _CORPUS, seed=seed, max_model_len=limit)


async def _wave(
    server: FakeServer, cell: Cell, *, api: Api = Api.CHAT, key: str = "run", index: int = 0
) -> PreparedWave:
    return await _preparation(server, api).wave(cell, key=key, phase=Phase.MEASURE, index=index)


def _texts(requests: tuple[PreparedRequest, ...]) -> list[str]:
    return ["".join(content for _, content in sent(request.body)) for request in requests]


@pytest.mark.parametrize("api", Api)
@pytest.mark.parametrize("tokenize", [True, False])
@pytest.mark.parametrize("name", ["words", "four_chars", "merging"])
@given(prompt=st.integers(30, 900), depth=st.sampled_from([0, 30, 64, 700]), concurrency=st.integers(1, 3))
async def test_every_request_has_the_asked_total(
    name: str, prompt: int, depth: int, concurrency: int, api: Api, *, tokenize: bool
) -> None:
    """Context and prompt together, the chat template included."""
    server = FakeServer(tokenizers.EXACT[name], tokenize=tokenize)
    cell = Cell(prompt_tokens=prompt, output_tokens=8, depth=depth, concurrency=concurrency)
    wave = await _wave(server, cell, api=api)

    assert [server.tokens(sent(request.body)) for request in wave.requests] == [depth + prompt] * concurrency
    assert [request.prompt_tokens_asked for request in wave.requests] == [depth + prompt] * concurrency
    assert [request.stream for request in wave.requests] == list(range(concurrency))
    assert {request.prompt_tokens_counted for request in wave.requests} == {depth + prompt if tokenize else None}
    assert wave.residual == 0


@pytest.mark.parametrize("api", Api)
@pytest.mark.parametrize("tokenize", [True, False])
async def test_the_measured_request_repeats_its_context_exactly(api: Api, *, tokenize: bool) -> None:
    """One character of difference, and the context would be computed again while it is measured."""
    server = FakeServer(tokenizers.words, tokenize=tokenize)
    wave = await _wave(server, Cell(prompt_tokens=50, output_tokens=8, depth=400, concurrency=3), api=api)

    assert len(wave.contexts) == 3
    for context, request in zip(wave.contexts, wave.requests, strict=True):
        loaded, repeated = sent(context.body), sent(request.body)
        assert repeated[0][1].startswith(loaded[0][1])
        assert server.tokens(loaded) == 400 == context.prompt_tokens_asked
        assert context.output_tokens_asked == 1
        assert context.prompt_sha256 == request.prompt_sha256
        assert b"cache_salt" not in context.body + request.body


@pytest.mark.parametrize("tokenize", [True, False])
@pytest.mark.parametrize("depth", [0, 100])
async def test_no_two_requests_of_a_run_start_alike(depth: int, *, tokenize: bool) -> None:
    """A reused prefix is answered from the cache and read as speed."""
    preparation = _preparation(FakeServer(tokenizers.words, tokenize=tokenize))
    requests: list[PreparedRequest] = []
    for key in ("run-a/0", "run-a/9", "run-b/0"):
        for concurrency in (2, 3):
            cell = Cell(prompt_tokens=64, output_tokens=8, depth=depth, concurrency=concurrency)
            for phase in (Phase.WARMUP, Phase.MEASURE):
                for index in range(3):
                    requests += (await preparation.wave(cell, key=key, phase=phase, index=index)).requests

    starts = [text[:20] for text in _texts(tuple(requests))]
    assert len(set(starts)) == len(starts) == 90
    assert len({request.prompt_sha256 for request in requests}) == 90
    if not depth:
        salts = {msgspec.json.decode(request.body)["cache_salt"] for request in requests}
        assert len(salts) == 90
        assert all(1 <= len(salt) <= 1024 for salt in salts)


@pytest.mark.parametrize("tokenize", [True, False])
async def test_short_prompts_of_a_vocabulary_of_letters_are_unique_too(*, tokenize: bool) -> None:
    """Eight letters are a word and a half: by chance some of 120 would begin alike, and void what they measure."""
    server = FakeServer(tokenizers.utf8_bytes, tokenize=tokenize)
    preparation = _preparation(server, Api.COMPLETIONS)
    cell = Cell(prompt_tokens=6, output_tokens=8, concurrency=4)
    waves = [await preparation.wave(cell, key="run", phase=Phase.MEASURE, index=index) for index in range(30)]
    texts = [text for wave in waves for text in _texts(wave.requests)]
    again = [await preparation.wave(cell, key="run", phase=Phase.MEASURE, index=index) for index in range(30)]

    assert {len(text) for text in texts} == {6}
    assert len(set(texts)) == len(texts) == 120
    assert again == waves


async def test_prompts_of_one_letter_are_sent_though_they_repeat() -> None:
    """Nothing can make them unique: it ends, and V03 tells."""
    preparation = _preparation(FakeServer(tokenizers.utf8_bytes), Api.COMPLETIONS)
    cell = Cell(prompt_tokens=1, output_tokens=8, concurrency=40)
    wave = await preparation.wave(cell, key="run", phase=Phase.MEASURE, index=0)

    assert {len(text) for text in _texts(wave.requests)} == {1}


async def test_the_same_arguments_give_the_same_wave() -> None:
    cell = Cell(prompt_tokens=200, output_tokens=8, depth=100, concurrency=2)
    first = await _wave(FakeServer(tokenizers.merging), cell, index=4)

    assert await _wave(FakeServer(tokenizers.merging), cell, index=4) == first


async def test_another_run_with_the_same_seed_sends_the_same_text_behind_other_nonces() -> None:
    """Two runs can then be compared, and the second one is not answered from the cache of the first."""
    cell = Cell(prompt_tokens=200, output_tokens=8)
    waves = [await _wave(FakeServer(tokenizers.words), cell, key=key) for key in ("a", "b")]
    one, two = (_texts(wave.requests)[0] for wave in waves)

    assert one.split()[:12] != two.split()[:12]
    assert one.split("\n\n", 1)[1][:300] == two.split("\n\n", 1)[1][:300]


async def test_another_seed_gives_another_text() -> None:
    cell = Cell(prompt_tokens=200, output_tokens=8)
    texts = []
    for seed in (0, 1):
        preparation = _preparation(FakeServer(tokenizers.words), seed=seed)
        wave = await preparation.wave(cell, key="run", phase=Phase.MEASURE, index=0)
        texts.append(_texts(wave.requests)[0].split("\n\n", 1)[1])

    assert texts[0] != texts[1]


async def test_counting_by_usage_costs_requests_once_per_shape() -> None:
    """Each of them is a prefill on the server that is to be measured."""
    server = FakeServer(tokenizers.words, tokenize=False)
    preparation = _preparation(server)
    cells = [Cell(prompt_tokens=500, output_tokens=8, concurrency=concurrency) for concurrency in (1, 8, 32)]
    await preparation.check(cells)
    after_check = server.asked["usage"]
    for index in range(5):
        for cell in cells:
            await preparation.wave(cell, key="run", phase=Phase.MEASURE, index=index)

    assert server.asked["usage"] == after_check <= 12
    assert server.doing == {"counting tokens", cells[0].label}


async def test_counting_by_tokenizer_sends_one_request_to_compare() -> None:
    server = FakeServer(tokenizers.words)
    wave = await _wave(server, Cell(prompt_tokens=500, output_tokens=8, concurrency=8))

    assert server.asked["usage"] == 1
    assert wave.counted_by == "tokenizer"


async def test_a_tokenizer_without_the_template_is_put_right_by_one_comparison() -> None:
    """Some count the text alone; usage is what the request will really have."""
    server = FakeServer(tokenizers.words, drift=_TEMPLATE + _REPLY)
    wave = await _wave(server, Cell(prompt_tokens=500, output_tokens=8, depth=0))

    assert server.tokens(sent(wave.requests[0].body)) == 500


async def test_a_server_that_tells_no_usage_is_trusted_and_that_is_recorded() -> None:
    wave = await _wave(FakeServer(tokenizers.words, usage=False), Cell(prompt_tokens=500, output_tokens=8))

    assert wave.counted_by == "tokenizer, not compared with usage"


async def test_a_server_that_tells_nothing_cannot_be_sent_exact_prompts() -> None:
    """Guessing a length would put a wrong prefill rate into every table."""
    server = FakeServer(tokenizers.words, tokenize=False, usage=False)
    with pytest.raises(NotOpenAI, match="does not tell how many tokens") as caught:
        await _wave(server, Cell(prompt_tokens=500, output_tokens=8))

    assert caught.value.hint


@pytest.mark.parametrize(("part", "smallest"), [("prompt", 11), ("context", 19)])
@pytest.mark.parametrize("tokenize", [True, False])
async def test_what_is_shorter_than_its_template_is_refused_with_the_smallest(
    part: str, smallest: int, *, tokenize: bool
) -> None:
    server = FakeServer(tokenizers.words, tokenize=tokenize)

    def cell(tokens: int) -> Cell:
        depth, prompt = (0, tokens) if part == "prompt" else (tokens, 64)
        return Cell(prompt_tokens=prompt, output_tokens=8, depth=depth)

    with pytest.raises(UsageError, match=f"a {part} of 5 tokens cannot be sent") as caught:
        await _wave(server, cell(5))

    assert f"at least {smallest} {part} tokens" in caught.value.hint
    await _wave(server, cell(smallest))


async def test_tiny_prompts_are_exact_too() -> None:
    """One to twenty tokens, where template and nonce leave no room for text."""
    server = FakeServer(tokenizers.words)
    for prompt in range(_TEMPLATE + _REPLY + 1, _TEMPLATE + _REPLY + 21):
        wave = await _wave(server, Cell(prompt_tokens=prompt, output_tokens=1, concurrency=2))

        assert [server.tokens(sent(request.body)) for request in wave.requests] == [prompt, prompt]


async def test_a_cell_longer_than_the_context_is_refused_before_anything_is_sent() -> None:
    server = FakeServer(tokenizers.words)
    with pytest.raises(
        RequestRejected, match="pp500 tg8 @ d4000 c1 needs 4508 tokens per request, the server takes 4507"
    ):
        await _preparation(server, limit=4507).check([Cell(prompt_tokens=500, output_tokens=8, depth=4000)])
    assert not server.asked

    await _preparation(server, limit=4508).check([Cell(prompt_tokens=500, output_tokens=8, depth=4000)])


async def test_a_residual_is_told() -> None:
    """A tokenizer that reaches no odd number: the nearest is sent, and the distance is in the result."""
    wave = await _wave(FakeServer(tokenizers.doubling), Cell(prompt_tokens=501, output_tokens=8), api=Api.COMPLETIONS)

    assert wave.residual == 1
    assert wave.requests[0].prompt_tokens_counted in {500, 502}


async def test_an_error_while_counting_comes_out_as_it_is() -> None:
    """Many prompts are counted at once; a group of errors would be a traceback to the user."""

    class Failing(FakeServer):
        async def count_tokens(self, engine: Engine, messages: Messages, options: SendOptions) -> int | None:
            if self.asked["tokenize"] > 20:
                message = "gone"
                raise RequestRejected(message)
            return await super().count_tokens(engine, messages, options)

    with pytest.raises(RequestRejected, match="gone"):
        await _wave(Failing(tokenizers.words), Cell(prompt_tokens=500, output_tokens=8, concurrency=16))
