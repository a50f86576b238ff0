"""One load on the reference server: send it, decode it, compare it with the server's log."""

__all__ = ["REFERENCE_MODEL", "run_load", "written_of"]

import time
from collections import Counter
from collections.abc import Sequence
from statistics import median

import msgspec

from sparktune.bench.accuracy import Pair, compare, written_rate
from sparktune.bench.decode import decode
from sparktune.bench.evaluate import failure_words
from sparktune.engines.generic import ENGINE
from sparktune.host.cpulist import CpuSet
from sparktune.io.load.client import LoadClient, WaveRecording
from sparktune.io.load.target import Limits, Target
from sparktune.io.load.wire import post_bytes
from sparktune.io.reference.process import ReferenceProcess
from sparktune.io.reference.truth import TruthRecord
from sparktune.model.calibration import Load, LoadResult, Written
from sparktune.model.timeline import Timeline
from sparktune.model.trial import ClientHealth
from sparktune.units import Nanoseconds, Seconds, Tokens

REFERENCE_MODEL = "reference"
_PROMPT = "a prompt of some length, since the time to send one is part of what is measured " * 20
# A server that hangs must not hold a calibration for the minutes that a real prefill may take.
_LIMITS = Limits(connect_s=10.0, stall_s=20.0, timeout_s=120.0)
_NOTHING = Written(origin_ns=0, before_ns=(), after_ns=(), tokens=())


def run_load(server: ReferenceProcess, load: Load, cores: CpuSet = frozenset()) -> LoadResult:
    """Measure one load. Its streams step together, as those of a batched engine do; the client keeps to ``cores``.

    Raises SparktuneError when the server does not answer.
    """
    server.configure(ttft_ms=load.ttft_s * 1e3, itl_ms=load.itl_s * 1e3, phase="batch", models=[REFERENCE_MODEL])
    server.drain_log()
    target = Target(host=server.host, port=server.port)
    pairs: list[Pair] = []
    health: list[ClientHealth] = []
    wave_cpu_s = decode_cpu_s = 0.0
    for number in range(load.waves):
        ids = [f"wave{number}-stream{stream}" for stream in range(load.concurrency)]
        payloads = [_payload(target, request_id, load.chunks) for request_id in ids]
        start_s = time.process_time()
        wave = LoadClient(target, _LIMITS, cores=cores).run_wave(payloads)
        recorded_s = time.process_time()
        timelines = _decode(wave, load.chunks)
        decoded_s = time.process_time()
        wave_cpu_s += recorded_s - start_s
        decode_cpu_s += decoded_s - recorded_s
        log = {record.request_id: written_of(record) for record in server.drain_log()}
        sent = [recording.send_start_ns for recording in wave.recordings]
        pairs += _pair(ids, log, sent, timelines)
        health.append(wave.health)
    return _result(load, pairs, health, wave_cpu_s, decode_cpu_s)


def _payload(target: Target, request_id: str, tokens: Tokens) -> bytes:
    body = {
        "model": REFERENCE_MODEL,
        "messages": [{"role": "user", "content": f"{request_id} {_PROMPT}"}],
        "max_tokens": tokens,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    headers = {"Content-Type": "application/json", "X-Request-Id": request_id}
    return post_bytes(target, "/v1/chat/completions", headers, msgspec.json.encode(body))


def _decode(wave: WaveRecording, tokens: Tokens) -> list[Timeline]:
    return [decode(recording, ENGINE, output_tokens_asked=tokens, fixed_length=True) for recording in wave.recordings]


def written_of(record: TruthRecord) -> Written:
    """Return what a judge of clients needs of a record."""
    return Written(
        origin_ns=record.origin_ns,
        before_ns=record.before_ns,
        after_ns=record.after_ns,
        tokens=record.tokens,
        late_max_ns=record.late_max_ns,
    )


def _pair(
    ids: Sequence[str], log: dict[str, Written], sent: Sequence[Nanoseconds], timelines: Sequence[Timeline]
) -> list[Pair]:
    return [
        Pair(written=log.get(request_id, _NOTHING), send_start_ns=sent_ns, timeline=timeline)
        for request_id, sent_ns, timeline in zip(ids, sent, timelines, strict=True)
    ]


def _result(
    load: Load, pairs: Sequence[Pair], health: Sequence[ClientHealth], wave_cpu_s: Seconds, decode_cpu_s: Seconds
) -> LoadResult:
    accuracy = compare(pairs)
    rates = [rate for pair in pairs if (rate := written_rate(pair.written)) is not None]
    thousands = accuracy.tokens / 1000
    failed = Counter(failure_words(failure) for pair in pairs if (failure := pair.timeline.failure))
    return LoadResult(
        load=load,
        accuracy=accuracy,
        written_per_s=median(rates) * load.concurrency if rates else None,
        late_max_s=max(pair.written.late_max_ns for pair in pairs) / 1e9,
        wave_cpu_s_per_1k=wave_cpu_s / thousands if thousands else None,
        decode_cpu_s_per_1k=decode_cpu_s / thousands if thousands else None,
        health=tuple(health),
        failed_how=next((words for words, _ in failed.most_common(1)), ""),
    )
