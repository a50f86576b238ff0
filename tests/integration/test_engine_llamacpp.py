"""A real llama.cpp server: recognised, asked, decoded and counted as its engine file says."""

import http.client
import json
import socket
import time
from collections.abc import Mapping
from urllib.parse import urlsplit

import pytest

from sparktune.bench.decode import decode
from sparktune.bench.exposition import parse_exposition
from sparktune.engines import by_name, detect
from sparktune.io.demo_server import DemoServer
from sparktune.model.counters import CounterDelta, Counters
from sparktune.model.engine import Answer, JsonValue
from sparktune.model.options import Api, SendOptions, Thinking
from sparktune.model.recording import End, Recording, StampSource
from sparktune.model.timeline import CountMethod, FailureType, Timeline

_CHAT = (("system", "Be brief."), ("user", "Name three colours, please."))
_TEXT = "Once upon a time there was"
_TOKENS = 24
_ENGINE = by_name("llamacpp")


class _Client:
    """Plain requests to one server."""

    def __init__(self, server: DemoServer) -> None:
        self._host = urlsplit(server.base_url).netloc
        self.options = SendOptions(model=server.model, temperature=0.0)

    def ask(self, path: str, body: Mapping[str, JsonValue] | None = None) -> Answer:
        connection = http.client.HTTPConnection(self._host, timeout=60)
        try:
            connection.request("POST" if body else "GET", path, json.dumps(body) if body else None)
            answer = connection.getresponse()
            return Answer(status=answer.status, body=answer.read(), headers=dict(answer.getheaders()))
        finally:
            connection.close()

    def counters(self) -> Counters:
        answer = self.ask("/metrics")
        return _ENGINE.counters(parse_exposition(answer.body), answer.headers)

    def record(self, path: str, body: Mapping[str, JsonValue]) -> Recording:
        """Send one request on its own connection and keep every read with its time."""
        host, _, port = self._host.partition(":")
        payload = json.dumps(body).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: {self._host}\r\nConnection: close\r\nContent-Length: {len(payload)}\r\n\r\n"
        )
        data, ends, times = b"", [], []
        start = time.monotonic_ns()
        with socket.create_connection((host, int(port)), timeout=60) as connection:
            connection.sendall(head.encode() + payload)
            while piece := connection.recv(65_536):
                data += piece
                ends.append(len(data))
                times.append(time.monotonic_ns())
        return Recording(
            connect_start_ns=start,
            connected_ns=start,
            send_start_ns=start,
            send_end_ns=start,
            end_ns=time.monotonic_ns(),
            end=End.CLOSED,
            source=StampSource.USER,
            data=data,
            read_ends=ends,
            arrival_ns=times,
            woke_ns=times,
        )

    def stream(self, api: Api, *, cold: bool = True, tokens: int = _TOKENS, **more: JsonValue) -> Timeline:
        chat: list[JsonValue] = [{"role": role, "content": content} for role, content in _CHAT]
        asked: dict[str, JsonValue] = {"messages": chat} if api is Api.CHAT else {"prompt": _TEXT}
        extras = _ENGINE.request_extras(self.options, cold=cold, nonce="n", output_tokens=tokens)
        body = {"model": self.options.model, "stream": True, "max_tokens": tokens, "temperature": 0.0}
        recorded = self.record(f"/v1/{api.value}", body | asked | extras | more)
        return decode(recorded, _ENGINE, output_tokens_asked=tokens, fixed_length=True)


@pytest.fixture(scope="module")
def client(llama_server: DemoServer) -> _Client:
    return _Client(llama_server)


def test_the_server_is_recognised(client: _Client) -> None:
    answers = {path: client.ask(path) for path in ("/version", "/server_info", *_ENGINE.probe_paths)}

    engine, facts = detect(answers)

    assert engine is _ENGINE
    assert (facts.models, facts.max_model_len, facts.slots) == ((client.options.model,), 8192, 4)
    assert facts.has_metrics
    assert facts.version


@pytest.mark.parametrize("api", list(Api))
def test_a_stream_tells_the_tokens_of_every_chunk(client: _Client, api: Api) -> None:
    """This model speaks in bytes, so that a chunk may hold several tokens: chunks are not tokens here."""
    timeline = client.stream(api)

    assert timeline.failure is None
    assert timeline.count_method is CountMethod.TIMINGS
    assert timeline.output_tokens is not None
    assert sum(timeline.output_tokens) == timeline.usage.completion_tokens == _TOKENS
    assert (timeline.usage.cached_tokens, timeline.finish_reason) == (0, "length")
    assert timeline.unknown_fields == ()
    assert timeline.timings is not None
    assert timeline.timings.predicted_s is not None
    assert 0 < timeline.timings.predicted_s < 60


@pytest.mark.parametrize("messages", [_CHAT, (("", _TEXT),)], ids=["chat", "plain"])
@pytest.mark.parametrize("thinking", list(Thinking))
def test_the_tokenize_routes_count_what_usage_counts(
    client: _Client, messages: tuple[tuple[str, str], ...], thinking: Thinking
) -> None:
    api = _ENGINE.tokenize
    assert api is not None
    options = SendOptions(model=client.options.model, thinking=thinking)

    counted = api.count(client.ask(api.route(messages), api.body(options.model, messages, options)).body)

    route = Api.CHAT if messages is _CHAT else Api.COMPLETIONS
    assert counted == client.stream(route).usage.prompt_tokens


def test_a_loaded_context_is_cached_and_a_cold_request_is_not(client: _Client) -> None:
    client.stream(Api.CHAT, cold=False)

    warm = client.stream(Api.CHAT, cold=False)
    cold = client.stream(Api.CHAT, cold=True)

    assert warm.usage.cached_tokens
    assert cold.usage.cached_tokens == 0


def test_counters_rise_by_what_was_sent(client: _Client) -> None:
    before = client.counters()

    first, second = client.stream(Api.CHAT, cold=False), client.stream(Api.CHAT, cold=False)

    delta = CounterDelta.between(before, client.counters())
    usages = (first.usage, second.usage)
    assert not delta.reset
    assert delta.prompt_tokens == sum(usage.prompt_tokens or 0 for usage in usages)
    assert delta.cached_prompt_tokens == sum(usage.cached_tokens or 0 for usage in usages)
    assert delta.generation_tokens == 2 * _TOKENS


def test_a_prompt_beyond_the_context_is_refused_in_words(client: _Client) -> None:
    timeline = client.stream(Api.COMPLETIONS, prompt=[7] * 9000)

    assert timeline.failure is not None
    assert (timeline.failure.type, timeline.failure.status) == (FailureType.HTTP_STATUS, 400)
    assert "context size" in timeline.failure.detail


def test_an_answer_that_is_not_streamed_is_told_apart(client: _Client) -> None:
    timeline = client.stream(Api.CHAT, stream=False)

    assert timeline.failure is not None
    assert timeline.failure.type is FailureType.NOT_SSE
