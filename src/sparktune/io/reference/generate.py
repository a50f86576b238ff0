"""The generation routes: from a request's body to an answer that is scheduled, or refused."""

__all__ = ["PAGE", "generate"]

from sparktune.io.reference.asks import Generate, prompt_of
from sparktune.io.reference.frames import FrameWriter
from sparktune.io.reference.knobs import Knobs, Offer
from sparktune.io.reference.link import Link
from sparktune.io.reference.plan import Fault, Plan, plan_of
from sparktune.io.reference.state import State
from sparktune.io.reference.stream import Stream
from sparktune.io.reference.truth import Arrival, Entry
from sparktune.io.reference.wire import HttpRequest, answer, json_answer, openai_error
from sparktune.units import Tokens

PAGE = b"<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body><h1>Sign in</h1></body></html>\n"


def generate(state: State, link: Link, request: HttpRequest, ask: Generate) -> bytes | None:
    """Start the answer, or return a refusal to be written at once."""
    knobs = state.knobs
    chat = "/chat/" in request.path
    prompt = prompt_of(ask.messages if chat else None, ask.prompt, overhead=knobs.overhead)
    refusal = _refusal(knobs, ask, None if prompt is None else len(prompt))
    if refusal is not None or prompt is None:
        status, message, kind = refusal or (400, "the request has neither messages nor a prompt", "BadRequestError")
        return json_answer(status, openai_error(status, message, kind), keep_alive=link.keep_alive)
    state.number += 1
    plan = plan_of(ask, knobs, state.number)
    entry = _entry(state, link, request, ask, prompt, plan.fault)
    if plan.fault in (Fault.FAIL, Fault.HTML):
        return _failed(state, link, entry)
    state.tally.arrived(knobs, len(prompt), entry.arrival.cached_tokens)
    writer = _writer(knobs, ask, entry.arrival, plan, chat=chat)
    stream = Stream(link=link, writer=writer, entry=entry, on_end=state.ended)
    state.begin(stream, ahead=entry.arrival.inflight - 1)
    return None


def _refusal(knobs: Knobs, ask: Generate, prompt_tokens: Tokens | None) -> tuple[int, str, str] | None:
    if ask.model and ask.model not in knobs.models:
        return 404, f"The model `{ask.model}` does not exist.", "NotFoundError"
    if prompt_tokens is None:
        return 400, "the request has neither messages nor a prompt", "BadRequestError"
    limit = 1 if ask.limit is None else ask.limit
    if limit < 1:
        return 400, f"max_tokens must be at least 1, got {limit}.", "BadRequestError"
    if prompt_tokens + limit > knobs.max_model_len:
        asked = f"{prompt_tokens} prompt tokens and {limit} output tokens"
        message = f"This model's maximum context length is {knobs.max_model_len} tokens, but {asked} were requested."
        return 400, message, "BadRequestError"
    return None


def _entry(
    state: State, link: Link, request: HttpRequest, ask: Generate, prompt: tuple[str, ...], fault: Fault
) -> Entry:
    knobs = state.knobs
    reused = 0
    if knobs.prefix_cache and ask.cache_prompt:
        reused = state.cache.reuse(prompt, ask.cache_salt or "")
    arrival = Arrival(
        request_id=request.headers.get("x-request-id", f"request-{state.number}"),
        path=request.path,
        stream=ask.stream,
        peer_port=link.peer_port,
        arrived_ns=link.arrived_ns,
        received_ns=link.received_ns,
        prompt_tokens=len(prompt),
        cached_tokens=min(knobs.cached, len(prompt)) if knobs.cached >= 0 else reused,
        inflight=state.inflight + 1,
    )
    return Entry(arrival, fault)


def _failed(state: State, link: Link, entry: Entry) -> bytes:
    if entry.fault is Fault.HTML:
        data = answer(200, PAGE, "text/html; charset=utf-8", keep_alive=link.keep_alive)
    else:
        entry.status = state.knobs.fail_status
        error = openai_error(entry.status, f"the request failed with status {entry.status}", "InternalServerError")
        data = json_answer(entry.status, error, keep_alive=link.keep_alive)
    state.log(entry.record(entry.arrival.received_ns))
    return data


def _writer(knobs: Knobs, ask: Generate, arrival: Arrival, plan: Plan, *, chat: bool) -> FrameWriter:
    asked_usage = ask.options.include_usage
    tells_cached = knobs.prefix_cache or knobs.cached >= 0
    return FrameWriter(
        request_id=arrival.request_id,
        model=ask.model or knobs.models[0],
        chat=chat,
        knobs=knobs,
        plan=plan,
        prompt_tokens=arrival.prompt_tokens,
        cached=arrival.cached_tokens if tells_cached else None,
        token_ids=_offered(knobs.token_ids, asked=ask.return_token_ids),
        usage=_offered(knobs.usage, asked=asked_usage),
        usage_always=_offered(knobs.usage_always, asked=asked_usage and ask.options.continuous_usage_stats),
    )


def _offered(offer: Offer, *, asked: bool) -> bool:
    return offer is Offer.ALWAYS or (offer is Offer.ASKED and asked)
