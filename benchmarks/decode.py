"""How long decoding a recorded run takes, against how long the run took.

Run: ``python benchmarks/decode.py``. Each line is one wave of 32 streams that together sent 3,000 tokens/s for ten
seconds, one token per chunk and one chunk per read (more tokens per chunk or per read cost less). The bound is 5 % of
the run's time; exit code 1 when a form exceeds it. CPU time is measured, best of five, so that a busy machine matters
less.
"""

import json
import sys
import time
from collections.abc import Callable
from itertools import accumulate

from sparktune.bench.trial import decode_trial
from sparktune.engines import by_name
from sparktune.model.cell import Cell
from sparktune.model.options import SendOptions
from sparktune.model.raw import RawRequest, RawTrial
from sparktune.model.recording import End, Recording, StampSource
from sparktune.model.timeline import CountMethod
from sparktune.model.trial import ClientHealth, Phase

_STREAMS = 32
_TOK_S = 3000
_WALL_S = 10.0
_BOUND = 0.05
_REPEATS = 5
_PER_STREAM = round(_TOK_S * _WALL_S) // _STREAMS
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

_Chunk = dict[str, object]


def _bare(count: int) -> _Chunk:
    """A chunk as most servers send it, usage only at the end."""
    finish = "length" if count == _PER_STREAM else None
    choice = {"index": 0, "delta": {"content": " token"}, "logprobs": None, "finish_reason": finish}
    return {
        "id": "chatcmpl-9f2c41d07be8",
        "object": "chat.completion.chunk",
        "created": 1795970000,
        "model": "deepseek-v4-flash-0731",
        "choices": [choice],
    }


def _vllm(count: int) -> _Chunk:
    """A chunk with vLLM's continuous usage."""
    usage = {"prompt_tokens": 512, "total_tokens": 512 + count, "completion_tokens": count}
    return _bare(count) | {"usage": usage, "kv_transfer_params": None}


def _llamacpp(count: int) -> _Chunk:
    """A chunk with llama.cpp's timings."""
    timings = {
        "cache_n": 0,
        "prompt_n": 512,
        "prompt_ms": 411.327,
        "prompt_per_token_ms": 0.8033730468750001,
        "prompt_per_second": 1244.751,
        "predicted_n": count,
        "predicted_ms": 10.25 * count,
        "predicted_per_token_ms": 10.253333333333334,
        "predicted_per_second": 97.53,
    }
    return _bare(count) | {"system_fingerprint": "b11669-1a2b3c4d", "timings": timings}


_FORMS: tuple[tuple[str, str, Callable[[int], _Chunk], CountMethod], ...] = (
    ("usage at the end", "generic", _bare, CountMethod.ONE_PER_CHUNK),
    ("continuous usage", "vllm", _vllm, CountMethod.RUNNING_USAGE),
    ("timings per token", "llamacpp", _llamacpp, CountMethod.TIMINGS),
)


def _event(data: object) -> bytes:
    event = b"data: " + json.dumps(data, separators=(",", ":")).encode() + b"\n\n"
    return b"%x\r\n%b\r\n" % (len(event), event)


def _recording(form: Callable[[int], _Chunk]) -> Recording:
    usage = {"choices": [], "usage": {"prompt_tokens": 512, "completion_tokens": _PER_STREAM}}
    end = _event(usage) + b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n"
    reads = [_HEAD + _event(form(1)), *(_event(form(count)) for count in range(2, _PER_STREAM + 1)), end]
    step_ns = round(_WALL_S * 1e9) // len(reads)
    times = [step_ns * (place + 1) for place in range(len(reads))]
    return Recording(
        connect_start_ns=0,
        connected_ns=0,
        send_start_ns=0,
        send_end_ns=0,
        end_ns=times[-1],
        end=End.COMPLETE,
        source=StampSource.KERNEL,
        data=b"".join(reads),
        read_ends=list(accumulate(len(read) for read in reads)),
        arrival_ns=times,
        woke_ns=times,
    )


def _wave(form: Callable[[int], _Chunk]) -> RawTrial:
    health = ClientHealth(
        wall_s=_WALL_S,
        cpu_ratio=0.0,
        lag_p99_s=None,
        lag_max_s=None,
        send_skew_s=0.0,
        cores=(),
        source=StampSource.KERNEL,
    )
    return RawTrial(
        cell=Cell(prompt_tokens=512, output_tokens=_PER_STREAM, concurrency=_STREAMS),
        index=0,
        phase=Phase.MEASURE,
        started_wall_s=0.0,
        requests=tuple(
            RawRequest(
                stream=stream,
                prompt_sha256="",
                prompt_tokens_asked=512,
                output_tokens_asked=_PER_STREAM,
                recording=_recording(form),
            )
            for stream in range(_STREAMS)
        ),
        health=health,
    )


def _measure(engine_name: str, form: Callable[[int], _Chunk], expected: CountMethod) -> tuple[float, float]:
    """Return CPU seconds of decoding one wave and the mean bytes of a chunk."""
    wave, engine, options = _wave(form), by_name(engine_name), SendOptions(model="m")
    best = float("inf")
    for _ in range(_REPEATS):
        start = time.process_time()
        trial = decode_trial(wave, engine, options)
        best = min(best, time.process_time() - start)
    if not all(request.ok and request.timeline.count_method is expected for request in trial.requests):
        message = f"the streams were not decoded as expected: {trial.requests[0].timeline.failure}"
        raise SystemExit(message)
    size = sum(len(request.recording.data) for request in wave.requests)
    return best, size / (_STREAMS * _PER_STREAM)


def main() -> int:
    """Print one line per form of stream."""
    chunks = _STREAMS * _PER_STREAM
    print(f"{chunks:,} chunks, {_STREAMS} streams, {_TOK_S:,} tokens/s for {_WALL_S:.0f} s; bound {_BOUND:.0%}")
    worst = 0.0
    for name, engine, form, method in _FORMS:
        cpu_s, size = _measure(engine, form, method)
        worst = max(worst, cpu_s / _WALL_S)
        print(
            f"{name:<20} {size:5.0f} B/chunk  {cpu_s / chunks * 1e6:5.2f} us/chunk  {cpu_s / _WALL_S:6.2%} of the run"
        )
    return int(worst > _BOUND)


if __name__ == "__main__":
    sys.exit(main())
