"""What ``sparktune record`` adds to a request, and whether a replay is what was recorded.

``make bench-record``. The same requests go to the reference server directly and through the proxy, in turn, wave by
wave. What a way adds is taken from stamps of both ends: from the client's send to the server's receipt, and from the
server's write of the first output to its arrival; how long the server took is in no number. Client, server and proxy
ask for real-time priority (as root): otherwise a busy machine shows its own queue. Then traffic is recorded, replayed
through a second recording, and the two are compared. Takes three minutes; ``--quick`` one.
"""

import argparse
import http.client
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles

import msgspec
from measured import Line, print_lines

from sparktune.bench.decode import decode
from sparktune.engines.generic import ENGINE
from sparktune.io.load.client import LoadClient
from sparktune.io.load.target import Limits, Target
from sparktune.io.load.wire import post_bytes
from sparktune.io.reference.process import ReferenceProcess
from sparktune.model.arrival import Start

_LIMITS = Limits(connect_s=10.0, stall_s=20.0, timeout_s=60.0)
_ROUTE = "/v1/chat/completions"
_NS_PER_MS = 1e6
_PRIORITY = 10
_APART_S = 0.4
_COLD_WAVES = 2  # they find nothing warm, whichever way they go
_PROMPT = "a prompt of some length, since the time to pass one on is part of what is measured " * 60
_ADDED_MS, _NEW_MS, _ARRIVAL_MS, _SHARE = 1.0, 1.0, 5.0, 0.02


def main() -> int:
    """Measure both halves; exit code 1 when a target was missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer waves and requests")
    asked = parser.parse_args()
    waves, requests = (20, 30) if asked.quick else (60, 150)
    return print_lines(_lines(waves, requests))


def _lines(waves: int, requests: int) -> Iterator[Line]:
    with tempfile.TemporaryDirectory() as folder, ReferenceProcess() as server:
        print(f"  {_first_in_line(os.getpid(), server.pid)}")
        for streams, stagger_s in ((8, 0.009), (64, 0.002)):
            server.configure(ttft_ms=40.0, itl_ms=20.0, usage="asked")
            direct, passed = _both_ways(server, Path(folder) / f"{streams}.jsonl", streams, stagger_s, waves)
            opened = [one for wave in passed for one in wave[1:]], [one for wave in direct for one in wave[1:]]
            print(
                f"  {len(opened[0])} requests each: through the proxy {_words(opened[0])}; direct {_words(opened[1])}"
            )
            for name, place in (("median", 49), ("p99", 98)):
                one, other = (quantiles(way, n=100)[place] for way in opened)
                what = f"added to TTFT by the proxy, {streams} streams, {name}"
                yield Line(what=what, target=_ADDED_MS, measured=one - other, unit="ms")
            new = [median(wave[0] for wave in way) for way in (passed, direct)]
            what = f"added where a client connects and sends at once, {streams} streams, median"
            yield Line(what=what, target=_NEW_MS, measured=new[0] - new[1], unit="ms")
        yield from _replay(server, Path(folder), requests)


def _both_ways(
    server: ReferenceProcess, out: Path, streams: int, stagger_s: float, waves: int
) -> tuple[list[list[float]], list[list[float]]]:
    """Return milliseconds on the way by wave and stream, direct and through the proxy, in turn on the same machine."""
    direct: list[list[float]] = []
    passed: list[list[float]] = []
    with _recording(server.base_url, out) as port:
        ways = ((server.port, direct), (port, passed))
        for number in range(waves):
            for way, found in ways if number % 2 else reversed(ways):
                measured = _wave(server, way, streams, stagger_s)
                found.extend([measured] if number >= _COLD_WAVES else [])
    return direct, passed


def _wave(server: ReferenceProcess, port: int, streams: int, stagger_s: float) -> list[float]:
    target = Target(host=server.host, port=port)
    body = {
        "model": "reference",
        "messages": [{"role": "user", "content": _PROMPT}],
        "max_tokens": 16,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    server.drain_log()
    payloads = [
        post_bytes(target, _ROUTE, {"X-Request-Id": f"{stream}"}, msgspec.json.encode(body))
        for stream in range(streams)
    ]
    # The first one is sent as soon as it has connected; all others find a connection that is open for some time.
    starts = [Start(delay_s=_APART_S + stream * stagger_s if stream else 0.0) for stream in range(streams)]
    wave = LoadClient(target, _LIMITS).run_wave(payloads, starts)
    log = {record.request_id: record for record in server.drain_log()}
    found: list[float] = []
    for stream, recording in enumerate(wave.recordings):
        record = log[str(stream)]
        timeline = decode(recording, ENGINE, output_tokens_asked=16, fixed_length=True)
        if timeline.first_ns is None:
            message = f"a request failed: {recording.end} {recording.detail}"
            raise SystemExit(message)
        way_ns = record.received_ns - recording.send_start_ns + timeline.first_ns - record.before_ns[0]
        found.append(way_ns / _NS_PER_MS)
    return found


def _first_in_line(*processes: int) -> str:
    """Ask for real-time priority, and say what came of it."""
    try:
        for process in processes:
            for thread in Path(f"/proc/{process}/task").iterdir():
                os.sched_setscheduler(int(thread.name), os.SCHED_RR, os.sched_param(_PRIORITY))
    except OSError as error:
        return f"at ordinary priority ({error.strerror}), load average {os.getloadavg()[0]:.1f}"
    return f"at real-time priority, load average {os.getloadavg()[0]:.1f}"


def _words(values: list[float]) -> str:
    cuts = quantiles(values, n=100)
    return f"{cuts[49]:.3f} ms, p99 {cuts[98]:.3f} ms"


def _replay(server: ReferenceProcess, folder: Path, requests: int) -> Iterator[Line]:
    server.reset()
    server.configure(ttft_ms=20.0, itl_ms=2.0, prefix_cache=True, engine="vllm", usage="asked")
    first, second = folder / "first.jsonl", folder / "second.jsonl"
    with _recording(server.base_url, first) as port:
        _traffic(port, requests)
    with _recording(server.base_url, second) as port:
        command = (sys.executable, "-m", "sparktune", "bench", f"http://127.0.0.1:{port}/v1", "--workload", str(first))
        environment = {**os.environ, "SPARKTUNE_DATA": str(folder / "data")}
        subprocess.run([*command, "--quiet"], check=True, env=environment, stdout=subprocess.DEVNULL)
    before = [json.loads(line) for line in first.read_text().splitlines()]
    after = [line for line in map(json.loads, second.read_text().splitlines()) if line["sparktune"]["stream"]]
    before.sort(key=lambda line: line["timestamp"])
    after.sort(key=lambda line: line["timestamp"])
    other = sum(_shape(one) != _shape(two) for one, two in zip(before, after, strict=True))
    yield Line(what=f"replayed requests of another length, of {requests}", target=0, measured=other, unit="requests")
    apart = abs(_cached(before) - _cached(after))
    print(
        f"  of the prompt tokens the server had {_cached(before):.1%} in its cache, in the replay {_cached(after):.1%}"
    )
    yield Line(
        what="share of the cache in the replay, apart from the recorded one", target=_SHARE, measured=apart, unit=""
    )
    late = [
        abs(two["timestamp"] - after[0]["timestamp"] - one["timestamp"] + before[0]["timestamp"])
        for one, two in zip(before, after, strict=True)
    ]
    for name, place in (("median", 49), ("p99", 98)):
        measured = quantiles(late, n=100)[place]
        yield Line(
            what=f"arrivals apart from the recorded ones, {name}", target=_ARRIVAL_MS, measured=measured, unit="ms"
        )


def _shape(line: dict[str, int]) -> tuple[int, int]:
    return line["input_length"], line["output_length"]


def _cached(lines: list[dict[str, dict[str, int]]]) -> float:
    cached = sum(line["sparktune"]["cached_tokens"] or 0 for line in lines)
    return cached / sum(line["input_length"] for line in lines)


def _traffic(port: int, requests: int) -> None:
    """Send requests at random instants: a third of them with one system prompt, a third with another."""
    draw = random.Random(1)  # noqa: S311 - the same traffic every time
    systems = ["", *("".join(f"rule {draw.random()} holds. " for _ in range(40)) for _ in range(2))]
    threads = []
    for index in range(requests):
        user = " ".join(f"word{draw.randrange(1000)}" for _ in range(draw.randrange(60, 400)))
        messages = [{"role": "user", "content": f"{index} {user}"}]
        if systems[index % 3]:
            messages.insert(0, {"role": "system", "content": systems[index % 3]})
        body = {"model": "reference", "messages": messages, "max_tokens": draw.randrange(4, 40)}
        threads.append(threading.Thread(target=_ask, args=(port, body)))
        threads[-1].start()
        time.sleep(draw.expovariate(20.0))
    for thread in threads:
        thread.join()


def _ask(port: int, body: dict[str, object]) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    streamed = {**body, "stream": True, "stream_options": {"include_usage": True}}
    connection.request("POST", _ROUTE, json.dumps(streamed), {"Content-Type": "application/json"})
    connection.getresponse().read()
    connection.close()


@contextmanager
def _recording(url: str, out: Path) -> Iterator[int]:
    command = (sys.executable, "-m", "sparktune", "record", "--listen", "0", "--to", url, "--out", str(out))
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        told = process.stderr.readline() if process.stderr else ""
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", told)
        if found is None:
            message = f"the recording did not start: {told}"
            raise SystemExit(message)
        _first_in_line(process.pid)
        yield int(found[1])
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)


if __name__ == "__main__":
    sys.exit(main())
