"""Which path does what: the OpenAI routes, vLLM's own, and the ``/__`` routes that steer the server."""

__all__ = ["respond"]

import gc
from collections.abc import Callable
from http import HTTPStatus

import msgspec

from sparktune.io.reference.asks import Detokenize, Generate, Tokenize, prompt_of
from sparktune.io.reference.generate import PAGE, generate
from sparktune.io.reference.knobs import Html, Imitate, Knobs, changed, knobs_json
from sparktune.io.reference.link import Link
from sparktune.io.reference.state import State
from sparktune.io.reference.truth import encode_log
from sparktune.io.reference.wire import HttpRequest, answer, json_answer, openai_error

_VLLM_VERSION = "0.33.0+sparktune.reference"
_GENERATE = frozenset({"/v1/chat/completions", "/v1/completions"})
_generate_decoder = msgspec.json.Decoder(Generate)
_Reply = tuple[int, object]


def respond(state: State, link: Link, request: HttpRequest) -> bytes | None:
    """Return the answer to a request, or None when an answer was scheduled."""
    path = request.path.partition("?")[0]
    control = _CONTROL.get((request.method, path))
    if control is not None:
        status, body = control(state, request)
        return json_answer(status, body, keep_alive=link.keep_alive)
    gate = _gate(state.knobs, request, path)
    if gate is not None:
        return json_answer(gate[0], gate[1], keep_alive=link.keep_alive)
    if state.knobs.html is Html.ALL:
        return answer(200, PAGE, "text/html; charset=utf-8", keep_alive=link.keep_alive)
    if request.method == "POST" and path in _GENERATE:
        return _generate(state, link, request)
    if path == "/metrics" and request.method == "GET" and _shows_metrics(state.knobs):
        return answer(200, state.metrics(), "text/plain; version=0.0.4; charset=utf-8", keep_alive=link.keep_alive)
    route = _PLAIN.get((request.method, path))
    status, body = route(state, request) if route is not None else _not_found(path)
    return json_answer(status, body, keep_alive=link.keep_alive)


def _generate(state: State, link: Link, request: HttpRequest) -> bytes | None:
    try:
        ask = _generate_decoder.decode(request.body)
    except msgspec.MsgspecError as error:
        return json_answer(400, openai_error(400, str(error), "BadRequestError"), keep_alive=link.keep_alive)
    return generate(state, link, request, ask)


def _gate(knobs: Knobs, request: HttpRequest, path: str) -> _Reply | None:
    if knobs.loading:
        error = {"message": "Loading model", "type": "unavailable_error", "code": 503}
        return HTTPStatus.SERVICE_UNAVAILABLE, {"error": error}
    guarded = path.startswith("/v1/") and knobs.api_key
    if guarded and request.headers.get("authorization") != f"Bearer {knobs.api_key}":
        return HTTPStatus.UNAUTHORIZED, {"error": "Unauthorized"}
    return None


def _shows_metrics(knobs: Knobs) -> bool:
    return knobs.engine is Imitate.VLLM and not knobs.no_metrics


def _not_found(path: str) -> _Reply:
    return HTTPStatus.NOT_FOUND, openai_error(404, f"no route {path}", "NotFoundError")


def _models(state: State, _request: HttpRequest) -> _Reply:
    vllm = state.knobs.engine is Imitate.VLLM
    extra: dict[str, object] = {"max_model_len": state.knobs.max_model_len} if vllm else {}
    owner = "vllm" if vllm else "sparktune"
    models = [
        {"id": name, "object": "model", "created": 1_700_000_000, "owned_by": owner, **extra}
        for name in state.knobs.models
    ]
    return HTTPStatus.OK, {"object": "list", "data": models}


def _health(_state: State, _request: HttpRequest) -> _Reply:
    return HTTPStatus.OK, {}


def _version(state: State, request: HttpRequest) -> _Reply:
    if state.knobs.engine is not Imitate.VLLM:
        return _not_found(request.path)
    return HTTPStatus.OK, {"version": _VLLM_VERSION}


def _tokenize(state: State, request: HttpRequest) -> _Reply:
    if state.knobs.no_tokenize:
        return _not_found(request.path)
    try:
        ask = msgspec.json.decode(request.body, type=Tokenize)
    except msgspec.MsgspecError as error:
        return HTTPStatus.BAD_REQUEST, openai_error(400, str(error), "BadRequestError")
    tokens = prompt_of(ask.messages, ask.prompt, overhead=state.knobs.overhead)
    if tokens is None:
        return HTTPStatus.BAD_REQUEST, openai_error(400, "neither prompt nor messages", "BadRequestError")
    ids = state.vocabulary.ids(tokens)
    reply = {"count": len(ids), "max_model_len": state.knobs.max_model_len, "tokens": ids, "token_strs": None}
    return HTTPStatus.OK, reply


def _detokenize(state: State, request: HttpRequest) -> _Reply:
    if state.knobs.no_tokenize:
        return _not_found(request.path)
    try:
        text = state.vocabulary.text(msgspec.json.decode(request.body, type=Detokenize).tokens)
    except (msgspec.MsgspecError, ValueError) as error:
        return HTTPStatus.BAD_REQUEST, openai_error(400, str(error), "BadRequestError")
    return HTTPStatus.OK, {"prompt": text}


def _show_knobs(state: State, _request: HttpRequest) -> _Reply:
    return HTTPStatus.OK, knobs_json(state.knobs)


def _set_knobs(state: State, request: HttpRequest) -> _Reply:
    try:
        state.configure(changed(state.knobs, msgspec.json.decode(request.body, type=dict[str, object])))
    except msgspec.MsgspecError as error:
        return HTTPStatus.BAD_REQUEST, {"error": str(error)}
    return HTTPStatus.OK, knobs_json(state.knobs)


def _reset(state: State, _request: HttpRequest) -> _Reply:
    state.reset()
    return HTTPStatus.OK, knobs_json(state.knobs)


def _drain(state: State, _request: HttpRequest) -> _Reply:
    body = encode_log(state.drain())
    gc.collect()  # the collector is off while answers are timed; between waves is the time for it
    return HTTPStatus.OK, body


_Route = Callable[[State, HttpRequest], _Reply]
_CONTROL: dict[tuple[str, str], _Route] = {
    ("GET", "/__cfg"): _show_knobs,
    ("POST", "/__cfg"): _set_knobs,
    ("POST", "/__reset"): _reset,
    ("GET", "/__log"): _drain,
}
_PLAIN: dict[tuple[str, str], _Route] = {
    ("GET", "/v1/models"): _models,
    ("GET", "/health"): _health,
    ("GET", "/version"): _version,
    ("POST", "/tokenize"): _tokenize,
    ("POST", "/detokenize"): _detokenize,
}
