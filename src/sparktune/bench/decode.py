"""Recorded bytes to a token timeline: after the trial, never during it.

Source: the wire of the engines as ``bench.stream`` describes it. An output chunk's instant is the arrival of the read
that completed its event; nothing is interpolated, and no rate is computed here.
"""

__all__ = ["decode"]

from sparktune.bench.counting import Counted, count
from sparktune.bench.failures import find_failure
from sparktune.bench.http_body import HttpBody, read_body
from sparktune.bench.server_words import read_timings, read_usage
from sparktune.bench.sse import Events, data_of, read_events
from sparktune.bench.stream import Stream, gather
from sparktune.model.engine import Engine
from sparktune.model.recording import Recording
from sparktune.model.timeline import Failure, FailureType, Timeline, Usage
from sparktune.units import Tokens


def decode(
    recording: Recording,
    engine: Engine,
    *,
    output_tokens_asked: Tokens | None,
    fixed_length: bool,
    first_tokens: Tokens | None = None,
) -> Timeline:
    """Decode one request; any bytes give a timeline, and what went wrong is its ``failure``.

    ``fixed_length`` says that exactly ``output_tokens_asked`` were demanded: another count is then a failure, where the
    engine can fix the length. ``first_tokens`` is the tokenizer's count of the first output chunk's text, if asked.
    """
    body = read_body(recording)
    events = _events(body, recording)
    stream = gather(events, engine)
    usage = read_usage(stream)
    counted = count(stream, usage.completion_tokens, first_tokens)
    failure = find_failure(recording, body, stream, engine, events=len(events.payloads))
    if failure is None and fixed_length and engine.fixes_length:
        failure = _wrong_count(usage, output_tokens_asked, stream)
    return _timeline(body, stream, usage, counted, failure)


def _events(body: HttpBody, recording: Recording) -> Events:
    """Split the body; data after the last blank line counts when the server itself ended the body there."""
    events = read_events(body.data, body.ends, recording.arrival_ns)
    last = data_of(events.rest) if body.complete else None
    if last is not None:
        events.payloads.append(last)
        events.at_ns.append(recording.arrival_ns[-1])
    return events


def _wrong_count(usage: Usage, asked: Tokens | None, stream: Stream) -> Failure | None:
    got = usage.completion_tokens
    if asked is None or got is None or got == asked:
        return None
    detail = f"asked for {asked} tokens, got {got} (finish reason {stream.finish_reason})"
    return Failure(type=FailureType.WRONG_TOKEN_COUNT, detail=detail)


def _timeline(body: HttpBody, stream: Stream, usage: Usage, counted: Counted, failure: Failure | None) -> Timeline:
    return Timeline(
        status=body.status,
        output_ns=counted.output_ns,
        output_tokens=counted.output_tokens,
        first_tokens=counted.first_tokens,
        count_method=counted.method,
        visible_ns=stream.visible_ns,
        usage=usage,
        timings=read_timings(stream),
        finish_reason=stream.finish_reason,
        failure=failure,
        unknown_fields=tuple(stream.unknown_fields),
        fingerprint=stream.fingerprint,
        model=stream.model,
        first_text=counted.first_text,
        notes=counted.notes,
    )
