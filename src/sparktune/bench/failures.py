"""Decide whether and how a request failed.

Source: the protocols as the engines speak them: an error object inside a 200 stream is a failure
(vLLM, SGLang and llama.cpp all send one), vLLM and SGLang end every whole stream with ``[DONE]``, llama.cpp may not.
"""

__all__ = ["find_failure"]

import re

from sparktune.bench.http_body import HttpBody
from sparktune.bench.stream import Stream
from sparktune.bench.wire import error_text, one_line, parse_object
from sparktune.model.engine import Engine
from sparktune.model.recording import End, Recording
from sparktune.model.timeline import Failure, FailureType

_TITLE = re.compile(rb"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_LINE_STARTS = (b":", b"data", b"event", b"id", b"retry")  # how a line of an event stream begins
_OK_STATUS = range(200, 300)
_ABORTED = {reason: f"the server ended the request: {reason}" for reason in ("abort", "error")}
_BY_END = {
    End.STALL: (FailureType.STALL, "nothing arrived for the stall limit"),
    End.TIMEOUT: (FailureType.TIMEOUT, "the request took longer than its limit"),
    End.STOPPED: (FailureType.STOPPED, "stopped by this client"),
}


def find_failure(
    recording: Recording, body: HttpBody, stream: Stream, engine: Engine, *, events: int
) -> Failure | None:
    """Return the first thing that went wrong, or None for a whole stream. ``events`` counts the stream's events."""
    if recording.end in {End.CONNECT, End.TLS}:
        return Failure(type=FailureType.CONNECT, detail=one_line(recording.detail) or recording.end.value)
    if body.status is not None and body.status not in _OK_STATUS:
        return _fail(FailureType.HTTP_STATUS, _server_words(body), body)
    error = stream.error or _ABORTED.get(stream.finish_reason or "", "")
    if error:
        return _fail(FailureType.STREAM_ERROR, error, body)
    if _whole(body, stream, engine):
        return None
    if recording.end in _BY_END:
        kind, words = _BY_END[recording.end]
        return _fail(kind, one_line(recording.detail) or words, body)
    return _not_whole(recording, body, stream, events=events)


def _whole(body: HttpBody, stream: Stream, engine: Engine) -> bool:
    if stream.done:
        return bool(stream.rows) or stream.finish_reason is not None
    return stream.finish_reason is not None and not engine.needs_done and body.complete


def _not_whole(recording: Recording, body: HttpBody, stream: Stream, *, events: int) -> Failure:
    if body.status is None:
        if body.broken:
            return _fail(FailureType.NOT_SSE, f"the answer is not HTTP: {one_line(recording.data)}", body)
        return _fail(FailureType.TRUNCATED, one_line(recording.detail) or "the connection ended before an answer", body)
    if not events and not _may_be_stream(body):
        return _fail(FailureType.NOT_SSE, _what_instead(body), body)
    return _fail(FailureType.TRUNCATED, _how_cut(recording, body, stream), body)


def _what_instead(body: HttpBody) -> str:
    encoding = one_line(body.headers.get("content-encoding", ""))
    if encoding:
        return f"a body encoded as {encoding}, which was not asked for, instead of a plain event stream"
    sent = one_line(body.headers.get("content-type", "")) or "no content type"
    return f"{sent} instead of an event stream: {_server_words(body)}"


def _how_cut(recording: Recording, body: HttpBody, stream: Stream) -> str:
    if body.broken:
        return f"the answer's framing broke: {one_line(body.broken)}"
    if not body.complete:
        return one_line(recording.detail) or "the connection ended in the middle of the answer"
    if stream.finish_reason is None:
        return "the stream ended without a finish reason" if stream.rows else "the stream ended without output"
    return "the stream ended without [DONE]"


def _may_be_stream(body: HttpBody) -> bool:
    """Whether a body without a whole event may be the start of a stream, or is nothing at all."""
    start = body.data.strip()
    cut = "text/event-stream" in body.headers.get("content-type", "") and not body.complete
    return cut or not start or start.startswith(_LINE_STARTS)


def _server_words(body: HttpBody) -> str:
    """Return what the server said, in one line: its error message, the title of a page, or the start of the body."""
    found = parse_object(body.data)
    if found is not None:
        return error_text(found)
    title = _TITLE.search(body.data)
    return one_line(title[1] if title else body.data) or one_line(body.reason)


def _fail(kind: FailureType, detail: str, body: HttpBody) -> Failure:
    return Failure(type=kind, detail=detail, status=body.status)
