"""Everything that can answer instead of a ready OpenAI server, and the one line that a person reads then."""

import socket
from collections.abc import Iterator

import pytest
from tests.support.scripted import NOT_FOUND, Reply, json_reply, models, scripted

from sparktune.engines import by_name
from sparktune.errors import (
    AuthRejected,
    ConnectFailed,
    EndpointError,
    ExitCode,
    NotOpenAI,
    NotReady,
    RequestRejected,
    UnknownModel,
)
from sparktune.io.http import client, server
from sparktune.io.http.server import Server
from sparktune.io.secrets import Secret
from sparktune.model.options import Api, SendOptions

_KEY = "sk-test-0123456789abcdef"
_LOADING = json_reply({"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}}, 503)
_PAGE = b"<!DOCTYPE html><html><head><title>Router &amp; login</title></head><body><h1>Hi</h1></body></html>"
_TOO_LONG = {
    "code": 400,
    "message": "request (3001 tokens) exceeds the available context size (2048 tokens), try increasing it",
    "type": "exceed_context_size_error",
    "n_prompt_tokens": 3001,
    "n_ctx": 2048,
}
_VLLM_TOO_LONG = "This model's maximum context length is 2048 tokens. However, you requested 3001 tokens"

# what /v1/models answers, the error, words of its message, words of its hint
_PROBES = [
    (_LOADING, NotReady, "is not ready (503: Loading model)", "--wait"),
    (
        Reply(status=502, body=b"<html><title>502 Bad Gateway</title>", content_type="text/html"),
        NotReady,
        "502",
        "--wait",
    ),
    (
        json_reply({"error": "Unauthorized"}, 401),
        AuthRejected,
        "refuses the API key (401: Unauthorized)",
        "--api-key-file",
    ),
    (json_reply({"detail": "no"}, 403), AuthRejected, "refuses the API key (403: no)", "SPARKTUNE_API_KEY"),
    (
        json_reply({"error": {"message": f"bad key {_KEY} given"}}, 401),
        AuthRejected,
        "(401: bad key *** given)",
        "SPARKTUNE_API_KEY",
    ),
    (Reply(body=b"[" * 9_000), NotOpenAI, "no JSON of the OpenAI form (200)", "/v1"),
    (Reply(body=b'{"error":' * 1_100, status=400), RequestRejected, "rejects a request (400", "log"),
    (Reply(body=_PAGE, content_type="text/html"), NotOpenAI, "a web page (200): 'Router & login'", "/v1"),
    (Reply(body=b"<p>It   works!</p>", content_type="text/html"), NotOpenAI, "'It works!'", "/v1"),
    (Reply(body=_PAGE, content_type="application/json"), NotOpenAI, "a web page", "/v1"),
    (Reply(status=404, body=_PAGE, content_type="text/html"), NotOpenAI, "a web page (404)", "/v1"),
    (Reply(body=b'{"data": ['), NotOpenAI, "no JSON of the OpenAI form (200)", "/v1"),
    (
        json_reply({"error": {"message": "boom", "code": 500}}),
        NotOpenAI,
        "/v1/models answers 200 with an error in it: 'boom'",
        "gateway",
    ),
    (json_reply({"error": "no such deployment"}), NotOpenAI, "error in it: 'no such deployment'", "its log"),
    (json_reply({"detail": "Not authenticated"}), AuthRejected, "error in it: 'Not auth", "SPARKTUNE_API_KEY"),
    (json_reply({"error": {"code": "401", "message": "x"}}), AuthRejected, "an error in it", "SPARKTUNE_API_KEY"),
    (json_reply({"hello": "world"}), NotOpenAI, "no JSON of the OpenAI form", "/v1"),
    (json_reply(["a"]), NotOpenAI, "no JSON of the OpenAI form", "/v1"),
    (Reply(body=b"", content_type="text/plain"), NotOpenAI, "no JSON of the OpenAI form", "/v1"),
    (
        Reply(status=301, headers={"Location": "https://other/v1/models"}),
        NotOpenAI,
        "on to https://other",
        "that address",
    ),
    (json_reply({"error": {"message": "boom"}}, 500), RequestRejected, "rejects a request (500: boom)", "log"),
    (Reply(raw=b"SSH-2.0-OpenSSH_9.2\r\n"), NotOpenAI, "no complete HTTP answer", "/v1"),
    (Reply(raw=b""), ConnectFailed, "closed the connection without an answer", "https://"),
    (Reply(raw=b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{"), NotOpenAI, "no complete HTTP answer", "/v1"),
    (Reply(never=True), ConnectFailed, "did not answer within", "busy"),
    (Reply(body=b"[" + b"1," * 9000), NotOpenAI, "more than 10000 bytes", "OpenAI"),
]


@pytest.fixture(autouse=True)
def _small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    # Only what never answers waits for it; what does may take its time on a busy machine.
    monkeypatch.setattr(server, "_PROBE_S", 3.0)
    monkeypatch.setattr(client, "_MOST_BYTES", 10_000)


@pytest.fixture
def dead_port() -> Iterator[int]:
    """A port that is taken, so that nobody else gets it, and where nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


def _check(error: EndpointError, message: str, hint: str) -> None:
    assert message in str(error)
    assert hint in error.hint
    assert "\n" not in f"{error}{error.hint}"
    assert error.exit_code is ExitCode.FAILED
    assert _KEY not in f"{error!r}{error}{error.hint}{error.__cause__!r}"


@pytest.mark.parametrize(("reply", "kind", "message", "hint"), _PROBES)
async def test_probe(reply: Reply, kind: type[EndpointError], message: str, hint: str) -> None:
    if kind is ConnectFailed and reply.never:
        routes = {"/v1/models": reply}
    else:
        routes = {"/v1/models": reply, "/health": json_reply({})}
    async with scripted(routes) as script, Server(script.url, Secret(_KEY)) as asked:
        with pytest.raises(kind) as caught:
            await asked.probe()

    assert type(caught.value) is kind
    _check(caught.value, message, hint)


async def test_without_a_key_the_error_says_that_one_is_wanted() -> None:
    async with scripted({"/v1/models": json_reply({}, 401)}) as script, Server(script.url) as asked:
        with pytest.raises(AuthRejected, match=r"wants an API key \(401\)"):
            await asked.probe()


async def test_a_server_that_lists_models_but_is_not_healthy_is_not_ready() -> None:
    """SGLang lists its model while it still warms up."""
    async with scripted({"/v1/models": models("m"), "/health": _LOADING}) as script, Server(script.url) as asked:
        with pytest.raises(NotReady, match="Loading model"):
            await asked.probe()


async def test_nobody_listens(dead_port: int) -> None:
    async with Server(f"localhost:{dead_port}") as asked:
        with pytest.raises(ConnectFailed) as caught:
            await asked.probe()

    _check(caught.value, f"nobody listens at localhost:{dead_port} (connection refused)", "ss -ltn")


async def test_the_name_is_not_known() -> None:
    async with Server("http://no-such-host.invalid:8000") as asked:
        with pytest.raises(ConnectFailed) as caught:
            await asked.probe()

    _check(caught.value, "the host name no-such-host.invalid is not known", "getent hosts no-such-host.invalid")


async def test_tls_to_a_server_without() -> None:
    async with scripted({}) as script, Server(script.url.replace("http", "https")) as asked:
        with pytest.raises(ConnectFailed) as caught:
            await asked.probe()

    _check(caught.value, "no TLS connection", "http:// instead of https://")


# what the completion answers, the error, words of its message, words of its hint
_COMPLETIONS = [
    (
        json_reply({"error": {"message": "The model `x` does not exist.", "type": "NotFoundError", "code": 404}}, 404),
        UnknownModel,
        "does not serve that model (404: The model `x` does not exist.)",
        "it serves: m",
    ),
    (NOT_FOUND, NotOpenAI, "/v1/chat/completions is no route of this server (404: Not Found)", "/v1"),
    (
        json_reply({"error": _TOO_LONG}, 400),
        RequestRejected,
        "the prompt for pp3000 tg8 c1 is too long for 127.0.0.1",
        "longer context",
    ),
    (json_reply({"error": _TOO_LONG}, 400), RequestRejected, "(3001 tokens, the limit is 2048)", "smaller cell"),
    (
        json_reply({"error": {"message": _VLLM_TOO_LONG}}, 400),
        RequestRejected,
        f"(400: {_VLLM_TOO_LONG})",
        "longer context",
    ),
    (
        json_reply({"detail": [{"loc": ["body"], "msg": "field required"}]}, 422),
        RequestRejected,
        "rejects a request for pp3000 tg8 c1 (422: field required)",
        "log",
    ),
    (json_reply({"error": {"message": "slow down"}}, 429), RequestRejected, "(429: slow down)", "log"),
    (json_reply({}, 400), RequestRejected, "(400)", "log"),
    (_LOADING, NotReady, "Loading model", "--wait"),
    (Reply(body=_PAGE, content_type="text/html"), NotOpenAI, "a web page", "/v1"),
    (json_reply({"answer": 42}), NotOpenAI, "no JSON of the OpenAI form", "/v1"),
    (Reply(body=b"data: {}\n\n", content_type="text/event-stream"), NotOpenAI, "no JSON of the OpenAI form", "/v1"),
]


@pytest.mark.parametrize(("reply", "kind", "message", "hint"), _COMPLETIONS)
async def test_counting_request(reply: Reply, kind: type[EndpointError], message: str, hint: str) -> None:
    """The cell that could not be sent is named, since a run has many."""
    routes = {"/v1/models": models("m"), "/v1/chat/completions": reply}
    async with scripted(routes) as script, Server(script.url, Secret(_KEY)) as asked:
        await asked.probe()
        with pytest.raises(kind) as caught:
            await asked.usage_of(Api.CHAT, b"{}", doing="pp3000 tg8 c1")

    assert type(caught.value) is kind
    _check(caught.value, message, hint)


async def test_a_tokenizer_that_refuses_a_template_says_why() -> None:
    """Some chat templates know no system message; without the server's words nobody would guess."""
    options = SendOptions(model="m")
    refusal = json_reply({"error": {"message": "System role not supported"}}, 400)
    async with scripted({"/tokenize": refusal}) as script, Server(script.url) as asked:
        with pytest.raises(RequestRejected, match="System role not supported"):
            await asked.count_tokens(by_name("vllm"), (("system", "a"), ("user", "b")), options)
