"""Asking a server: who it is, whether it is ready, how it counts, what its counters say."""

import time

import pytest
from tests.support.scripted import NOT_FOUND, Reply, json_reply, models, scripted

from sparktune.engines import by_name
from sparktune.errors import ConnectFailed, NotReady, UnknownModel, UsageError
from sparktune.io.http import server as module
from sparktune.io.http.models import choose_model
from sparktune.io.http.server import Server
from sparktune.io.secrets import Secret
from sparktune.model.engine import EngineFacts
from sparktune.model.options import Api, SendOptions
from sparktune.model.timeline import Usage

_VLLM = by_name("vllm")
_OPTIONS = SendOptions(model="m")
_CHAT = (("user", "Hi"),)
_LOADING = json_reply({"error": {"message": "Loading model"}}, 503)


def _metrics(running: int, waiting: int = 0) -> Reply:
    text = f"vllm:num_requests_running {running}\nvllm:num_requests_waiting {waiting}\n"
    return Reply(body=text.encode(), content_type="text/plain")


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_RETRY_S", 0.01)
    monkeypatch.setattr(module, "_IDLE_LOOK_S", 0.01)


async def test_probe_tells_engine_and_facts_and_sends_the_key() -> None:
    routes = {
        "/v1/models": models("m", owned_by="vllm", max_model_len=4096),
        "/version": json_reply({"version": "0.33.0"}),
        "/metrics": _metrics(0),
    }
    async with scripted(routes) as script, Server(script.url, Secret("k-1")) as server:
        engine, facts = await server.probe()

    assert engine is _VLLM
    assert (facts.version, facts.models, facts.max_model_len, facts.has_metrics) == ("0.33.0", ("m",), 4096, True)
    assert {request.headers["authorization"] for request in script.requests} == {"Bearer k-1"}
    assert {request.path for request in script.requests} >= {"/v1/models", "/version", "/props", "/health"}


async def test_a_server_without_a_model_list_may_still_be_measured() -> None:
    async with scripted({}) as script, Server(script.url) as server:
        engine, facts = await server.probe()

    assert engine.name == "generic"
    assert facts.models == ()


async def test_a_proxy_of_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would stand between the stopwatch's own connections and these."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    async with scripted({"/v1/models": models("m")}) as script, Server(script.url) as server:
        assert (await server.probe())[1].models == ("m",)


async def test_wait_until_the_model_is_loaded() -> None:
    routes = {"/v1/models": [_LOADING, _LOADING, models("m")]}
    async with scripted(routes) as script, Server(script.url) as server:
        _, facts = await server.wait_ready(limit_s=60)

    assert facts.models == ("m",)


async def test_waiting_ends_with_what_stood_in_the_way() -> None:
    async with scripted({"/v1/models": _LOADING}) as script, Server(script.url) as server:
        with pytest.raises(NotReady, match=r"Loading model\), after waiting 0 s") as waited:
            await server.wait_ready(limit_s=0.05)
        with pytest.raises(NotReady, match=r"Loading model\)$") as asked:
            await server.wait_ready(limit_s=0)
    assert waited.value.hint == "wait longer: --wait SECONDS"
    assert asked.value.hint.endswith("or let this command wait: --wait SECONDS")


async def test_a_server_that_is_not_started_yet_is_waited_for() -> None:
    async with scripted({}) as script:
        url = script.url
    started = time.monotonic()
    async with Server(url) as server:
        with pytest.raises(ConnectFailed, match="nobody listens"):
            await server.wait_ready(limit_s=0.1)
    assert time.monotonic() - started >= 0.08


async def test_count_by_the_tokenizer() -> None:
    routes = {"/tokenize": [json_reply({"count": 12}), json_reply({"count": 5}), json_reply({"count": 2})]}
    async with scripted(routes) as script, Server(script.url) as server:
        assert await server.count_tokens(_VLLM, _CHAT, _OPTIONS) == 12
        assert await server.count_text(_VLLM, "Hello", _OPTIONS) == 3


async def test_a_tokenizer_that_is_not_there_is_asked_once() -> None:
    """A proxy often serves /v1 alone; then prompts are calibrated on usage."""
    async with scripted({}) as script, Server(script.url) as server:
        counts = [await server.count_tokens(_VLLM, _CHAT, _OPTIONS) for _ in range(3)]
        assert await server.count_text(_VLLM, "Hello", _OPTIONS) is None

    assert counts == [None, None, None]
    assert len(script.requests) == 1


async def test_an_engine_without_a_tokenizer_is_not_asked() -> None:
    async with scripted({}) as script, Server(script.url) as server:
        assert await server.count_tokens(by_name("generic"), _CHAT, _OPTIONS) is None

    assert script.requests == []


@pytest.mark.parametrize(
    ("answer", "usage"),
    [
        (
            {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 1}},
            Usage(prompt_tokens=9, completion_tokens=1),
        ),
        (
            {"choices": [{"index": 0}], "usage": {"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 8}}},
            Usage(prompt_tokens=9, cached_tokens=8),
        ),
        ({"choices": [], "usage": {"prompt_tokens": 9, "prompt_tokens_details": None}}, Usage(prompt_tokens=9)),
        ({"choices": [], "usage": None}, Usage()),
        ({"choices": []}, Usage()),
    ],
)
async def test_usage(answer: object, usage: Usage) -> None:
    async with scripted({"/v1/completions": json_reply(answer)}) as script, Server(script.url) as server:
        assert await server.usage_of(Api.COMPLETIONS, b'{"a":1}') == usage

    assert script.requests[0].body == b'{"a":1}'
    assert script.requests[0].headers["content-type"] == "application/json"


async def test_scrape_keeps_body_and_headers() -> None:
    reply = Reply(body=b"x 1\n", headers={"Process-Start-Time-Unix": "17"})
    async with scripted({"/metrics": reply}) as script, Server(script.url) as server:
        before = time.monotonic_ns()
        scrape = await server.scrape(_VLLM)

    assert scrape is not None
    assert scrape.body == b"x 1\n"
    assert scrape.headers["Process-Start-Time-Unix"] == "17"
    assert before <= scrape.at_ns <= time.monotonic_ns()


@pytest.mark.parametrize("reply", [NOT_FOUND, json_reply({}, 501), json_reply({}, 500), Reply(raw=b"")])
async def test_no_counters_is_no_error(reply: Reply) -> None:
    """A missing counter is unknown; it must not end a run, and must not be 0."""
    async with scripted({"/metrics": reply}) as script, Server(script.url) as server:
        assert await server.scrape(_VLLM) is None
        assert await server.wait_idle(_VLLM, limit_s=1) is None


async def test_idle_is_waited_for() -> None:
    """Counters lag a step behind the last answer: read too early, tokens of this wave go to the next one."""
    routes = {"/metrics": [_metrics(2), _metrics(1), _metrics(0, waiting=1), _metrics(0)]}
    async with scripted(routes) as script, Server(script.url) as server:
        assert await server.wait_idle(_VLLM, limit_s=60) is True

    assert len(script.requests) == 4


async def test_a_busy_neighbour_does_not_hold_us_up() -> None:
    async with scripted({"/metrics": _metrics(1)}) as script, Server(script.url) as server:
        assert await server.wait_idle(_VLLM, limit_s=0.05) is False


def test_the_only_model_needs_no_name() -> None:
    assert choose_model(EngineFacts(name="x", models=("a",)), None) == "a"
    assert choose_model(EngineFacts(name="x", models=("a", "b")), "b") == "b"
    assert choose_model(EngineFacts(name="x"), "unlisted") == "unlisted"


@pytest.mark.parametrize(
    ("served", "wanted", "kind", "hint"),
    [
        (("a", "b"), None, UsageError, "--model: a, b"),
        ((), None, UsageError, "--model"),
        (("qwen3", "llama"), "qwen4", UnknownModel, "did you mean qwen3? it serves: qwen3, llama"),
        (("qwen3",), "zzz", UnknownModel, "it serves: qwen3"),
    ],
)
def test_a_model_that_cannot_be_chosen(
    served: tuple[str, ...], wanted: str | None, kind: type[Exception], hint: str
) -> None:
    with pytest.raises(kind) as caught:
        choose_model(EngineFacts(name="x", models=served), wanted)

    assert hint in caught.value.hint  # type: ignore[attr-defined]  # both kinds have one


async def test_metrics_without_end_are_read_once() -> None:
    """Parsing them every second would cost the measuring process more than they tell."""
    flood = Reply(body=b"x 1\n" * 600_000, content_type="text/plain")
    async with scripted({"/metrics": [flood, _metrics(0)]}) as served, Server(served.url) as server:
        first = await server.scrape(_VLLM)
        second = await server.scrape(_VLLM)

    assert (first, second) == (None, None)
