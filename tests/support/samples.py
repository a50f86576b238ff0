"""Captured streams beside this clone, each with the engine that sent it and what is true about it."""

__all__ = ["STREAMS", "Truth", "sample_stream"]

from dataclasses import dataclass

from tests.support.shared import shared

from sparktune.engines import by_name
from sparktune.model.engine import Engine
from sparktune.model.timeline import CountMethod, FailureType


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """Read from the files by hand. ``tokens`` per output chunk where told, else ``chunks`` alone."""

    engine: str
    method: CountMethod
    chunks: int
    total: int | None = None
    cached: int | None = None
    tokens: tuple[int, ...] | None = None
    failure: FailureType | None = None


_ONES = (1, 1, 1, 1, 1, 1, 1, 1)
STREAMS = {
    "engines/llamacpp-b11434-chat-stream.sse": Truth(
        engine="llamacpp", method=CountMethod.TOTAL_ONLY, chunks=3, total=35, cached=0
    ),
    "engines/llamacpp-stream-error.sse": Truth(
        engine="llamacpp", method=CountMethod.NONE, chunks=0, failure=FailureType.STREAM_ERROR
    ),
    "engines/sglang-0.5.23-chat-stream.sse": Truth(engine="sglang", method=CountMethod.TOTAL_ONLY, chunks=2, total=13),
    "engines/sglang-stream-error.sse": Truth(
        engine="sglang", method=CountMethod.NONE, chunks=0, failure=FailureType.STREAM_ERROR
    ),
    "engines/vllm-0.33-chat-stream-tools.sse": Truth(engine="vllm", method=CountMethod.NONE, chunks=3),
    "engines/vllm-0.33-chat-stream-usage.sse": Truth(
        engine="vllm", method=CountMethod.RUNNING_USAGE, chunks=5, total=13, cached=256, tokens=(1, 5, 2, 4, 1)
    ),
    "engines/vllm-old-chat-stream-reasoning_content.sse": Truth(
        engine="vllm", method=CountMethod.TOTAL_ONLY, chunks=2, total=3
    ),
    "engines/vllm-stream-error.sse": Truth(
        engine="vllm", method=CountMethod.NONE, chunks=0, failure=FailureType.STREAM_ERROR
    ),
    "llamacpp/chat_stream_nousage.http": Truth(
        engine="llamacpp", method=CountMethod.ONE_PER_CHUNK, chunks=4, total=4, cached=35, tokens=_ONES[:4]
    ),
    "llamacpp/chat_stream_timings_per_token_ignore_eos_nocache.http": Truth(
        engine="llamacpp", method=CountMethod.TIMINGS, chunks=6, total=6, cached=0, tokens=_ONES[:6]
    ),
    "llamacpp/chat_stream_usage.http": Truth(
        engine="llamacpp", method=CountMethod.TOTAL_ONLY, chunks=11, total=12, cached=35
    ),
    "llamacpp/completions_stream_usage.http": Truth(
        engine="llamacpp", method=CountMethod.ONE_PER_CHUNK, chunks=8, total=8, cached=4, tokens=_ONES
    ),
    "llamacpp/native_completion_stream.http": Truth(
        engine="llamacpp",
        method=CountMethod.TOTAL_ONLY,
        chunks=0,
        total=4,
        cached=4,
        failure=FailureType.TRUNCATED,  # another route, whose chunks have no choices
    ),
}


def sample_stream(name: str) -> tuple[Engine, bytes]:
    """Return the engine and the body (heads were saved with some of them, framing with none); skips when absent."""
    saved = shared(f"samples/{name}").read_bytes()
    body = saved.partition(b"\r\n\r\n")[2] if name.endswith(".http") else saved
    return by_name(STREAMS[name].engine), body
