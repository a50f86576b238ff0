"""The command as a person runs it: it says where to connect, ends without cutting answers off, and sums up."""

import contextlib
import http.client
import json
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.cli import run_sparktune, start_sparktune
from tests.support.scripted_server import ScriptedServer, hold, read_body, send, wait
from tests.support.traffic import chat, events

from sparktune.io.demo_server import DemoServer
from sparktune.io.reference.process import ReferenceProcess

_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
_LAST = events({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 1}}, "[DONE]")


def start_recording(url: str, out: Path, *flags: str) -> tuple[subprocess.Popen[str], int]:
    """Start the command, and return it with its port."""
    process = start_sparktune("record", "--listen", "0", "--to", url, "--out", str(out), *flags)
    assert process.stderr is not None
    told = process.stderr.readline()
    found = re.search(r"point clients at http://127\.0\.0\.1:(\d+)/v1 instead", told)
    assert found, told + process.stderr.read()
    return process, int(found[1])


def ask(port: int, body: dict[str, object]) -> bytes:
    """Send one request, and return the answer's body."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        headers = {"Content-Type": "application/json", "Authorization": "Bearer very-secret"}
        connection.request("POST", "/v1/chat/completions", json.dumps(body), headers)
        return connection.getresponse().read()
    finally:
        connection.close()


def end(process: subprocess.Popen[str], number: int = signal.SIGTERM) -> tuple[int, str, str]:
    """Send a signal, and return code, stdout and the rest of stderr."""
    process.send_signal(number)
    out, err = process.communicate(timeout=90)
    return process.returncode, out, err


def _await(process: subprocess.Popen[str], what: Callable[[], bool]) -> None:
    """Wait for as long as it takes: a recording gives way to all other work. Never is a timeout of the test."""
    while not what():
        assert process.poll() is None
        time.sleep(0.01)


def lines_of(path: Path) -> list[dict[str, object]]:
    """Return what is in a trace."""
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stream_that_is_under_way_ends_before_the_recording_does(tmp_path: Path, number: int) -> None:
    seen, out = threading.Event(), tmp_path / "t.jsonl"
    last = b"%x\r\n%s\r\n0\r\n\r\n" % (len(_LAST), _LAST)
    with ScriptedServer({"/v1/chat/completions": [read_body(), send(_HEAD), wait(seen), send(last), hold()]}) as server:
        process, port = start_recording(f"http://{server.host}:{server.port}", out)
        got: list[bytes] = []
        client = threading.Thread(target=lambda: got.append(ask(port, chat(("user", "x"), stream=True))))
        client.start()
        _await(process, lambda: bool(server.connections.get("/v1/chat/completions")))
        process.send_signal(number)
        assert process.stderr is not None
        for line in process.stderr:
            if "letting 1 connections finish" in line:
                break
        seen.set()
        client.join(60)
        told, err = process.communicate(timeout=60)

    code = process.returncode
    assert (code, got) == (0, [_LAST]), err
    assert told.startswith("1 request of 1 conversation in ")
    assert f"--workload {out}" in told
    assert len(lines_of(out)) == 1
    assert b"secret" not in out.read_bytes()
    assert out.stat().st_mode & 0o777 == 0o600


def test_a_second_signal_cuts_answers_off_and_not_the_summary(tmp_path: Path) -> None:
    """Who is in a hurry presses twice, and a service manager sends SIGTERM again: what was recorded is told."""
    out = tmp_path / "t.jsonl"
    with ScriptedServer({"/v1/chat/completions": [read_body(), send(_HEAD), hold()]}) as server:
        process, port = start_recording(f"http://{server.host}:{server.port}", out)

        def ask_and_be_cut_off() -> None:
            with contextlib.suppress(OSError, http.client.HTTPException):
                ask(port, chat(("user", "x"), stream=True))

        client = threading.Thread(target=ask_and_be_cut_off)
        client.start()
        _await(process, lambda: bool(server.connections.get("/v1/chat/completions")))
        process.send_signal(signal.SIGTERM)
        assert process.stderr is not None
        assert any("letting 1 connections finish" in line for line in process.stderr)
        code, told, err = end(process)
        client.join(60)

    assert code == 0, err
    assert told.startswith("1 request of 1 conversation in ")
    assert "cut off" in told
    assert len(lines_of(out)) == 1


def test_what_a_killed_recording_had_is_in_its_file(tmp_path: Path, reference: ReferenceProcess) -> None:
    out = tmp_path / "t.jsonl"
    process, port = start_recording(reference.base_url, out)
    for index in range(3):
        ask(port, chat(("user", f"{index}"), model="reference", max_tokens=4))
    _await(process, lambda: out.read_bytes().count(b"\n") == 3)  # each is written as soon as it is over
    process.kill()
    process.communicate()

    assert [line["output_length"] for line in lines_of(out)] == [4, 4, 4]


def test_json_and_a_time(tmp_path: Path, reference: ReferenceProcess) -> None:
    done = run_sparktune(
        "record",
        "--listen",
        "0",
        "--to",
        reference.base_url,
        "--out",
        str(tmp_path / "t.jsonl"),
        "--for",
        "1s",
        "--json",
    )

    assert done.code == 0
    wanted = {"schema": 1, "requests": 0, "connections": 0, "broken": None, "missed": {}}
    assert wanted.items() <= done.json.items()


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--listen", "0.0.0.0:9000"), ("would let others in", "--host 0.0.0.0")),
        (("--listen", "[::]:9000"), ("would let others in", "--host ::")),
        (("--listen", "port"), ("takes a port",)),
        (("--listen", "99999"), ("takes a port",)),
        (("--listen", "0", "--for", "soon"), ("takes a time",)),
        (("--listen", "0", "--for", "0s"), ("above 0",)),
        (("--listen", "0", "--host", "192.0.2.1"), ("cannot listen",)),
        (("--listen", "0", "--out", "no/such/t.jsonl"), ("cannot be created",)),
        (("--listen", "0", "--out", "old.jsonl"), ("there already",)),
        (("--listen", "0", "--out", "t.csv"), ("name it t.jsonl",)),
        (("--listen", "0", "--to", "ftp://x"), ("http",)),
        (("--listen", "0", "--to", "http://user:word@x"), ("password",)),
    ],
    ids=lambda value: " ".join(value),
)
def test_a_mistake_is_told_and_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: tuple[str, ...], words: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.jsonl").write_text("mine\n")
    to = () if "--to" in flags else ("--to", "http://127.0.0.1:9/v1")
    done = run_sparktune("record", *flags, *to)

    assert done.code == 2, done.err
    assert [word for word in words if word not in done.err] == [], done.err
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".jsonl"] == ["old.jsonl"]
    assert (tmp_path / "old.jsonl").read_text() == "mine\n"


def test_a_server_whose_name_is_not_known_leaves_no_file(tmp_path: Path) -> None:
    """Else the next attempt would be told that the file is there already."""
    path = tmp_path / "t.jsonl"
    for _ in range(2):
        done = run_sparktune("record", "--listen", "0", "--to", "http://no-such-node.invalid:1", "--out", str(path))
        assert done.code == 1
        assert "has no address" in done.err
    assert not path.exists()


_SYSTEM = "You are a careful helper of people who ask. " * 8


def _traffic(port: int) -> None:
    """Six requests with a system prompt in common, two of them at once, the last one a second turn."""
    users = [f"{index} " + letter * (40 + 60 * index) for index, letter in enumerate("abcde")]
    bodies = [chat(("system", _SYSTEM), ("user", user), stream=True) for user in users]
    bodies.append(
        chat(("system", _SYSTEM), ("user", users[4]), ("assistant", "it is so"), ("user", "why?"), stream=True)
    )
    for index, body in enumerate(bodies):
        ask(port, {**body, "max_tokens": 6 + index, "ignore_eos": True, "stream_options": {"include_usage": True}})


def test_a_recording_of_a_real_server_is_replayed_as_it_was(llama_server: DemoServer, tmp_path: Path) -> None:
    """Recorded, replayed through a second recording, and both compared: lengths, share of the cache, times."""
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    process, port = start_recording(llama_server.base_url, first)
    _traffic(port)
    assert end(process)[0] == 0
    process, port = start_recording(llama_server.base_url, second)
    # What was asked one after the other would overlap on a busy machine, and in another slot nothing is cached.
    slowly = ("--scale-time", "8")
    done = run_sparktune("bench", f"http://127.0.0.1:{port}/v1", "--workload", str(first), *slowly, "--json")
    assert end(process)[0] == 0
    before = lines_of(first)
    after = [line for line in lines_of(second) if line["sparktune"]["stream"]]  # what was sent to count is not
    metrics = done.cell["metrics"]

    def shape(lines: list[dict[str, object]]) -> list[tuple[object, ...]]:
        return [(line["input_length"], line["output_length"]) for line in lines]

    def cached(lines: list[dict[str, object]]) -> float:
        total = sum(line["input_length"] for line in lines[1:])
        return sum(line["sparktune"]["cached_tokens"] for line in lines[1:]) / total

    assert done.cell["name"].startswith("replay first.jsonl:")
    assert shape(after) == shape(before)
    assert cached(before) > 0.4
    assert cached(after) == pytest.approx(cached(before), abs=0.03)
    statuses = {check["id"]: check["status"] for check in done.cell["checks"]}
    assert [statuses[name] for name in ("V01", "V06", "V19")] == ["unknown", "ok", "ok"]
    # How late a send was depends on the machine: it is measured, and here it is only shown to be told.
    assert metrics["send_error_s"]["max"] is not None


def test_a_trace_of_others_is_replayed_too(reference: ReferenceProcess, tmp_path: Path) -> None:
    """Mooncake's members alone; blocks of 512 tokens are shared, and the server says so."""
    trace = tmp_path / "others.jsonl"
    rows = [(0, 1100, 4, [0, 1, 2]), (60, 1200, 5, [0, 1, 3]), (120, 700, 6, [4, 5])]
    names = ("timestamp", "input_length", "output_length", "hash_ids")
    trace.write_text("".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows))
    reference.configure(prefix_cache=True, engine="vllm")
    done = run_sparktune("bench", reference.base_url, "--workload", str(trace), "--scale-time", "0.5", "--json")
    streams = (record for record in reference.drain_log() if record.stream)
    log = sorted(streams, key=lambda record: record.origin_ns)

    assert done.code == 0, done.err
    assert done.cell["name"].endswith(" x3 time x0.5")
    assert [(record.prompt_tokens, sum(record.tokens)) for record in log] == [(1100, 4), (1200, 5), (700, 6)]
    assert log[1].cached_tokens == pytest.approx(1024, abs=32)
    assert (log[0].cached_tokens, log[2].cached_tokens) == (0, 0)


def test_a_replay_can_be_a_workload_of_sparktune_yaml(
    reference: ReferenceProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.jsonl").write_text('{"timestamp": 0, "input_length": 90}\n{"timestamp": 9, "input_length": 80}\n')
    (tmp_path / "sparktune.yaml").write_text("workloads: {evening: {replay: t.jsonl, limit: 1}}\n")
    flags = ("--workload", "evening", "--output-tokens", "3", "--trials", "1", "--warmup", "off", "--json")
    done = run_sparktune("bench", reference.base_url, *flags)

    assert done.cell["name"].endswith(" x1")


@pytest.mark.parametrize(
    ("flags", "word"),
    [
        (("--scale-time", "2"), "no trace is named"),
        (("--workload", "no.jsonl"), "cannot be read"),
        (("--workload", "bad.jsonl"), "bad.jsonl line 2"),
        (("--workload", "bad.jsonl", "--stagger", "1s"), "its own shape"),
        (("--workload", "bad.jsonl", "--concurrency", "4"), "its own shape"),
    ],
)
def test_a_replay_that_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: tuple[str, ...], word: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.jsonl").write_text('{"input_length": 9}\n{"input_length": "nine"}\n')
    done = run_sparktune("bench", "http://127.0.0.1:9/v1", *flags)

    assert done.code == 2, done.err
    assert word in done.err
