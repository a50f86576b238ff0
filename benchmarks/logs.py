"""What it costs to read a long log: seconds and memory for 50 MB, beside what splitting it into lines costs.

Kinds of lines are made up from the forms that engines write, with numbers and ids from a seeded generator. The mix is
that of a server that ran for weeks, was restarted a few times and failed once in a while; the other rows are one kind
alone, the worst one last: no server writes those, and they have no target. Each row is measured in a process of its
own, so that its peak of memory is its own.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from sparktune.io.log_files import read_log_file

_MB = 1_000_000
_SEED = 8
_HEAD = "kind             MB     lines    CPU s    MB/s of split   peak MB   facts  events"
_NCCL_SHARE, _FAILURE_SHARE = 0.1, 0.003  # of the seconds of the mix
_SECONDS, _MEMORY_MB = 3.0, 200.0  # of the mix, for 50 MB
_TARGET_MB = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    kind: str
    mb: float
    lines: int
    seconds: float
    split_s: float
    peak_mb: float
    facts: int
    events: int

    def __str__(self) -> str:
        speed, share = self.mb / self.seconds, self.split_s / self.seconds
        return (
            f"{self.kind:<12} {self.mb:>6.1f} {self.lines:>9,} {self.seconds:>8.2f} {speed:>7.1f} {share:>8.3f}"
            f" {self.peak_mb:>9.0f} {self.facts:>7,} {self.events:>7,}"
        )


def main() -> int:
    """Measure every kind once; exit code 1 when a target was missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mb", type=float, default=_TARGET_MB, help="how long the log is")
    parser.add_argument("--kind", choices=_KINDS, action="append", help="only this one")
    parser.add_argument("--file", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.file:
        print(json.dumps(asdict(_measured(asked.kind[0], Path(asked.file)))))
        return 0
    print(_HEAD)
    rows = [_row(kind, asked.mb) for kind in asked.kind or _KINDS]
    mix = next((row for row in rows if row.kind == "mix"), None)
    if mix is None:
        return 0
    seconds = mix.seconds * _TARGET_MB / mix.mb
    held = seconds <= _SECONDS and mix.peak_mb <= _MEMORY_MB
    print(
        f"\nmix: {seconds:.2f} CPU s for {_TARGET_MB} MB, target {_SECONDS:g}; peak {mix.peak_mb:.0f} MB, target"
        f" {_MEMORY_MB:g}: {'held' if held else 'NOT HELD'}"
    )
    return 0 if held else 1


def _row(kind: str, mb: float) -> _Row:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "engine.log"
        _write(file, _KINDS[kind], int(mb * _MB))
        command = (sys.executable, __file__, "--kind", kind, "--file", str(file))
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    row = _Row(**json.loads(done.stdout))
    print(row, flush=True)
    return row


def _measured(kind: str, file: Path) -> _Row:
    start = time.process_time()
    log = read_log_file(str(file))
    seconds = time.process_time() - start
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    start = time.process_time()
    with file.open("rb") as stream:
        for piece in iter(lambda: stream.read(1 << 20), b""):
            piece.split(b"\n")
    return _Row(
        kind=kind,
        mb=file.stat().st_size / _MB,
        lines=log.lines,
        seconds=seconds,
        split_s=time.process_time() - start,
        peak_mb=peak_mb,
        facts=len(log.facts) + log.more_facts,
        events=len(log.events) + log.more_events,
    )


def _write(file: Path, lines: "_Lines", size: int) -> None:
    chance = random.Random(_SEED)  # noqa: S311 - no secret
    with file.open("w") as stream:
        moment = 0
        while stream.tell() < size:
            moment += 1
            clock = f"{moment // 3600 % 24:02d}:{moment // 60 % 60:02d}:{moment % 60:02d}"
            stream.writelines(f"{line}\n" for line in lines(chance, clock))


_Lines = Callable[[random.Random, str], Sequence[str] | Iterator[str]]


def _access(chance: random.Random, _: str) -> Iterator[str]:
    for _ in range(20):
        port = chance.randrange(65536)
        yield f'(APIServer pid=1) INFO:     10.0.0.{port % 250}:{port} - "POST /v1/chat/completions HTTP/1.1" 200 OK'


def _stats(chance: random.Random, clock: str) -> Iterator[str]:
    prefix = f"(APIServer pid=1) INFO 11-20 {clock}"
    yield (
        f"{prefix} [loggers.py:332] Engine 000: Avg prompt throughput: {chance.uniform(0, 900):.1f} tokens/s, Avg"
        f" generation throughput: {chance.uniform(0, 90):.1f} tokens/s, Running: {chance.randrange(9)} reqs, Waiting:"
        f" {chance.randrange(3)} reqs, GPU KV cache usage: {chance.uniform(0, 99):.1f}%, Prefix cache hit rate: 41.7%"
    )
    yield (
        f"{prefix} [metrics.py:113] SpecDecoding metrics: Mean acceptance length: {chance.uniform(1, 4):.2f}, Accepted"
        f" throughput: 34.10 tokens/s, Drafted throughput: 84.00 tokens/s, Accepted: {chance.randrange(900)} tokens,"
        " Drafted: 901 tokens, Per-position acceptance rate: 0.800, 0.600, 0.360, Avg Draft acceptance rate: 40.6%"
    )


def _requests(chance: random.Random, clock: str) -> Iterator[str]:
    for _ in range(10):
        prefix = f"\x1b[0;36m(APIServer pid=1)\x1b[0;0m INFO 11-20 {clock}"
        name = f"chatcmpl-{chance.getrandbits(128):032x}"
        yield (
            f"{prefix} [logger.py:40] Received request {name}: params: SamplingParams(n=1, max_tokens="
            f"{chance.randrange(4000)}), lora_request: None."
        )
        yield f"{prefix} [async_llm.py:300] Added request {name}."


def _nccl(chance: random.Random, _: str) -> Iterator[str]:
    for _ in range(10):
        comm = chance.getrandbits(40)
        yield (
            f"spark1:203:333 [0] NCCL INFO AllReduce: opCount {comm >> 20:x} sendbuff 0x{comm:x} recvbuff"
            f" 0x{comm + 64:x} count {comm % 9999} datatype 9 op 0 root 0 comm 0x{comm:x} [nranks=2]"
        )


def _decode(chance: random.Random, clock: str) -> Iterator[str]:
    yield (
        f"[2026-11-20 {clock} TP0] Decode batch, #running-req: {chance.randrange(5)}, #token:"
        f" {chance.randrange(33120)}, token usage: 0.14, accept len: 3.05, cuda graph: True, gen throughput (token/s):"
        f" {chance.uniform(0, 200):.2f}"
    )


def _start(chance: random.Random, clock: str) -> Iterator[str]:
    prefix = f"(EngineCore pid=9) INFO 11-20 {clock}"
    yield f"(APIServer pid=1) INFO 11-20 {clock} [utils.py:233] non-default args: {{'max_num_seqs': 8}}"
    yield f"{prefix} [gpu_worker.py:298] Available KV cache memory: {chance.uniform(20, 40):.2f} GiB"
    yield f"{prefix} [kv_cache_utils.py:1087] GPU KV cache size: {chance.randrange(10**6):,} tokens"


def _failure(chance: random.Random, clock: str) -> Iterator[str]:
    prefix = f"(EngineCore pid=9) ERROR 11-20 {clock} [core.py:842]"
    yield f"{prefix} EngineCore encountered a fatal error."
    yield f"{prefix} Traceback (most recent call last):"
    for number in range(12):
        yield f'{prefix}   File "/usr/lib/python3/vllm/engine_{number}.py", line {number}, in step_{number}'
        yield f"{prefix}     return self.step_{number + 1}(request)"
    yield f"{prefix} RuntimeError: request {chance.getrandbits(64):x} has no blocks"


def _prose(chance: random.Random, _: str) -> Iterator[str]:
    letters = "etaoinshrdlucmfwypvbgkjqxzEN"
    yield " ".join("".join(chance.choices(letters, k=chance.randrange(3, 10))) for _ in range(20))


def _mix(chance: random.Random, clock: str) -> Iterator[str]:
    for lines in (_access, _stats, _requests, _decode):
        yield from lines(chance, clock)
    if chance.random() < _NCCL_SHARE:
        yield from _nccl(chance, clock)
    if chance.random() < _FAILURE_SHARE:
        yield from _failure(chance, clock)
        yield from _start(chance, clock)


_KINDS: dict[str, _Lines] = {
    "mix": _mix,
    "access": _access,
    "stats": _stats,
    "requests": _requests,
    "decode": _decode,
    "nccl": _nccl,
    "prose": _prose,
    "failures": _failure,
}


if __name__ == "__main__":
    raise SystemExit(main())
