"""Arrival instants on a real network stack: after the server wrote, before this process read, whatever clocks do."""

import os
import socket
import threading
import time
from collections.abc import Callable

import pytest
from tests.support.load import CHUNKED, payload, target_of, wave
from tests.support.scripted_server import Connection, ScriptedServer, Step, hold, read_body, send, signal, until, wait

from sparktune.io.load import connect, stamps, timebase
from sparktune.io.load.client import LoadClient
from sparktune.io.load.clock import ClockPair, Clocks, take_pair
from sparktune.io.load.target import Limits
from sparktune.model.recording import Recording, StampSource

_LIMITS = Limits(connect_s=30.0, stall_s=30.0, timeout_s=60.0)
_CHUNK = b"1\r\na\r\n"
# What reading two clocks one after the other may cost on a busy machine.
_CLOCK_ERROR_NS = 1_000_000


def _one_by_one(bytes_received: Callable[[], int], count: int) -> list[Step]:
    """Write chunks so that each is read before the next one is written: no two packets share a read."""
    steps: list[Step] = [read_body(), send(CHUNKED)]
    for place in range(count):
        seen = len(CHUNKED) + place * len(_CHUNK)
        steps += [until(lambda seen=seen: bytes_received() >= seen), send(_CHUNK)]
    return [*steps, send(b"0\r\n\r\n"), hold()]


def _recorded(count: int, clocks: Clocks | None = None) -> tuple[Recording, Connection, LoadClient]:
    server = ScriptedServer({})
    client = LoadClient(target_of(server), _LIMITS, **({"clocks": clocks} if clocks else {}))
    server.scripts["/"] = _one_by_one(lambda: client.progress().bytes_received, count)
    with server:
        (recording,) = client.run_wave([payload(server, "/")]).recordings
        return recording, server.connections["/"][0], client


def test_kernel_stamps_lie_between_write_and_read() -> None:
    recording, connection, _ = _recorded(20)

    assert recording.source is StampSource.KERNEL
    assert len(recording.arrival_ns) >= 21
    for place in range(21):
        written_ns = connection.writes[place][0]
        assert recording.arrival_ns[place] >= written_ns - _CLOCK_ERROR_NS
        assert recording.arrival_ns[place] <= recording.woke_ns[place] + _CLOCK_ERROR_NS


def test_stamps_do_not_wait_for_this_process() -> None:
    """What the stopwatch is for: a client that is late must not make the server look late."""
    busy, written = threading.Event(), threading.Event()
    whole = CHUNKED + b"0\r\n\r\n"

    def stand_still(_index: int, _recording: Recording) -> None:
        busy.set()
        assert written.wait(30)
        time.sleep(0.05)

    scripts = {
        "/first": [read_body(), send(whole), hold()],
        "/second": [read_body(), wait(busy), send(whole), signal(written), hold()],
    }
    with ScriptedServer(scripts) as server:
        client = LoadClient(target_of(server), _LIMITS, on_request=stand_still)
        _, second = client.run_wave([payload(server, "/first"), payload(server, "/second")]).recordings

    assert second.woke_ns[0] - second.arrival_ns[0] >= 50_000_000 - _CLOCK_ERROR_NS


def test_without_kernel_stamps_it_is_the_waking_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the source says so, and the lag, which cannot be known, is not 0."""
    monkeypatch.setattr(connect, "ask_for_stamps", lambda _sock: False)
    with ScriptedServer({"/": [read_body(), send(CHUNKED + b"0\r\n\r\n"), hold()]}) as server:
        recorded = wave(server, ["/"])

    (recording,) = recorded.recordings
    assert recording.source is StampSource.USER
    assert list(recording.arrival_ns) == list(recording.woke_ns)
    assert (recorded.health.source, recorded.health.lag_p99_s, recorded.health.lag_max_s) == (
        StampSource.USER,
        None,
        None,
    )


def test_wall_clock_that_is_set_during_a_wave(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody sets the clock two hours on: the arrivals stay in the order of reality and the step is reported."""
    two_hours_ns = 2 * 3600 * 1_000_000_000
    pairs = [0]

    def counting_take_pair(clocks: Clocks) -> ClockPair:
        pairs[0] += 1
        return take_pair(clocks)

    def stepping_wall() -> int:
        # The first pair is taken before the wave; how often it reads the clock depends on how busy the machine is.
        return time.time_ns() + (two_hours_ns if pairs[0] > 1 else 0)

    monkeypatch.setattr(timebase, "take_pair", counting_take_pair)
    server = ScriptedServer({"/": [read_body(), send(CHUNKED + b"0\r\n\r\n"), hold()]})
    client = LoadClient(target_of(server), _LIMITS, clocks=Clocks(wall_ns=stepping_wall))
    with server:
        recorded = client.run_wave([payload(server, "/")])
    (recording,) = recorded.recordings

    assert recorded.health.clock_step_s == pytest.approx(7200, abs=1)
    assert recording.source is StampSource.USER
    assert list(recording.arrival_ns) == list(recording.woke_ns)


def test_health_of_a_wave() -> None:
    with ScriptedServer({"/": [read_body(), send(CHUNKED + b"0\r\n\r\n"), hold()]}) as server:
        before_s = time.time()
        recorded = wave(server, ["/"] * 8)
        after_s = time.time()
    health = recorded.health

    assert health.source is StampSource.KERNEL
    assert health.reads == sum(len(recording.read_ends) for recording in recorded.recordings)
    assert health.lag_p99_s is not None
    assert health.lag_max_s is not None
    assert 0 <= health.lag_p99_s <= health.lag_max_s <= health.wall_s
    assert 0 < health.send_skew_s <= health.wall_s
    assert health.cpu_ratio > 0
    assert set(health.cores) <= os.sched_getaffinity(0)
    assert health.clock_step_s == 0.0
    assert before_s <= recorded.started_wall_s <= after_s


def test_the_kernel_is_asked_for_stamps_between_waves_too() -> None:
    """It begins to stamp a moment after somebody asks: each wave on a busy machine would miss its first packets."""
    with ScriptedServer({"/": [read_body(), send(CHUNKED + b"0\r\n\r\n"), hold()]}) as server:
        wave(server, ["/"])
    asking = stamps._keep_stamping()

    assert asking.getsockopt(socket.SOL_SOCKET, stamps._SO_TIMESTAMPING_NEW) == stamps._RX_SOFTWARE | stamps._SOFTWARE
