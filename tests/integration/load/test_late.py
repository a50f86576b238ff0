"""Requests that are sent later than the wave: when they are due, what they wait for, and how they end.

The scripted server's and the reference server's own instants are the truth. How late a busy machine is is never
asserted: only that nothing is sent before it is due, and that what was late is told.
"""

import threading
from collections.abc import Sequence

import pytest
from tests.support.load import CHUNKED, payload, target_of
from tests.support.reference import QUICK, reference, reference_process
from tests.support.scripted_server import ScriptedServer, Step, hold, read_body, send, signal, until, wait

from sparktune.io.load.client import LoadClient
from sparktune.io.load.target import Limits, Target
from sparktune.io.load.wire import post_bytes
from sparktune.io.reference.process import ReferenceProcess
from sparktune.model.arrival import Start
from sparktune.model.recording import End, Recording, send_skew_ns
from sparktune.units import NS_PER_S

__all__ = ["reference", "reference_process"]

_LIMITS = Limits(connect_s=30.0, stall_s=30.0, timeout_s=60.0)
_CHUNK = b"1\r\na\r\n"
_WHOLE = CHUNKED + _CHUNK + b"0\r\n\r\n"


def _request(server: ReferenceProcess, name: str, tokens: int = 8) -> bytes:
    body = b'{"model": "reference", "prompt": "a b c", "max_tokens": %d, "stream": true}' % tokens
    target = Target(host=server.host, port=server.port)
    headers = {"Content-Type": "application/json", "X-Request-Id": name}
    return post_bytes(target, "/v1/completions", headers, body)


def _wave(server: ReferenceProcess, starts: Sequence[Start], tokens: int = 8) -> tuple[Recording, ...]:
    client = LoadClient(Target(host=server.host, port=server.port), _LIMITS)
    return client.run_wave([_request(server, f"r{place}", tokens) for place in range(len(starts))], starts).recordings


def _arrivals(server: ReferenceProcess) -> dict[str, int]:
    """Return when each request was at the server, by its own clock, which is this machine's."""
    return {record.request_id: record.origin_ns for record in server.drain_log()}


def test_staggered_requests_reach_the_server_when_they_are_due(reference: ReferenceProcess) -> None:
    stagger_s = 0.3
    recordings = _wave(reference, [Start(delay_s=stagger_s * place) for place in range(3)])
    arrived = _arrivals(reference)

    assert recordings[0].planned_ns is None
    for place, recording in enumerate(recordings):
        due_ns = recordings[0].send_start_ns + round(place * stagger_s * NS_PER_S)
        assert recording.planned_ns == (due_ns if place else None)
        assert recording.send_start_ns >= due_ns
        assert arrived[f"r{place}"] >= due_ns
        assert recording.end is End.CLOSED or recording.end is End.COMPLETE


def test_what_is_told_about_lateness_is_what_happened(reference: ReferenceProcess) -> None:
    client = LoadClient(Target(host=reference.host, port=reference.port), _LIMITS)
    starts = [Start(), Start(), Start(delay_s=0.05), Start(delay_s=0.05)]
    wave = client.run_wave([_request(reference, f"r{place}") for place in range(4)], starts)
    first, second, *late = wave.recordings
    late_ns = [one.send_start_ns - one.planned_ns for one in late if one.planned_ns is not None]

    assert len(late_ns) == 2
    assert send_skew_ns(wave.recordings) == max(*late_ns, second.send_start_ns - first.send_start_ns)
    assert wave.health.send_skew_s == send_skew_ns(wave.recordings) / NS_PER_S
    assert {one.planned_ns for one in late} == {first.send_start_ns + NS_PER_S // 20}, "the planned distance is no skew"


def test_a_connection_is_opened_shortly_before_its_request_is_due(reference: ReferenceProcess) -> None:
    """An idle connection may cost a server a thread, or be closed by it after some seconds."""
    _, late = _wave(reference, [Start(), Start(delay_s=0.8)])

    assert late.planned_ns is not None
    assert late.planned_ns - late.connect_start_ns < 0.5 * NS_PER_S
    assert late.connected_ns <= late.send_start_ns


def test_a_request_waits_until_another_one_has_ended(reference: ReferenceProcess) -> None:
    first, second, third = _wave(reference, [Start(), Start(after=0), Start(after=1, delay_s=0.02)])
    arrived = _arrivals(reference)

    assert second.planned_ns == first.end_ns
    assert arrived["r1"] >= first.end_ns
    assert third.planned_ns == second.end_ns + round(0.02 * NS_PER_S)
    assert third.send_start_ns >= third.planned_ns


def test_a_request_waits_until_another_one_is_being_answered() -> None:
    """The first answer goes on only when the second request is there, so that no delay of the machine can hide it."""
    came = threading.Event()
    server = ScriptedServer({})
    client = LoadClient(target_of(server), _LIMITS)
    steps: list[Step] = [read_body(), send(CHUNKED)]
    for count in range(3):
        seen = len(CHUNKED) + count * len(_CHUNK)
        steps += [until(lambda seen=seen: client.progress().bytes_received >= seen), send(_CHUNK)]
    server.scripts = {
        "/first": [*steps, wait(came), send(b"0\r\n\r\n"), hold()],
        "/second": [signal(came), read_body(), send(_WHOLE), hold()],
    }
    with server:
        payloads = [payload(server, "/first"), payload(server, "/second")]
        first, second = client.run_wave(payloads, [Start(), Start(after=0, reads=4)]).recordings

    assert (first.end, second.end) == (End.COMPLETE, End.COMPLETE)
    assert second.planned_ns == first.woke_ns[3]


def test_a_request_that_failed_is_over_too() -> None:
    """The session of an agent goes on; that one of its turns failed is told by that turn."""
    broken = [read_body(), send(b"HTTP/1.1 200 OK\r\n")]
    with ScriptedServer({"/broken": broken, "/": [read_body(), send(_WHOLE), hold()]}) as server:
        client = LoadClient(target_of(server), _LIMITS)
        payloads = [payload(server, "/broken"), payload(server, "/"), payload(server, "/")]
        recordings = client.run_wave(payloads, [Start(), Start(after=0, reads=9), Start(after=1)]).recordings

    assert [recording.data for recording in recordings[1:]] == [_WHOLE, _WHOLE]
    assert recordings[1].planned_ns == recordings[0].end_ns


def test_nobody_listens_when_a_late_request_is_due() -> None:
    with ReferenceProcess(QUICK) as server:
        target = Target(host=server.host, port=server.port)
        client = LoadClient(target, _LIMITS, lambda _index, _recording: server.stop())
        requests = [_request(server, "first"), _request(server, "second")]
        first, second = client.run_wave(requests, [Start(), Start(after=0, delay_s=2.0)]).recordings

    assert first.end is End.COMPLETE
    assert second.end is End.CONNECT
    assert second.send_start_ns == 0


def test_a_stop_ends_what_was_not_sent_yet() -> None:
    """Every request has a recording, also one that never left: a wave is kept whole."""
    with ScriptedServer({"/": [read_body(), send(_WHOLE), hold()]}) as server:
        client = LoadClient(target_of(server), _LIMITS, lambda _index, _recording: client.stop())
        recordings = client.run_wave(
            [payload(server, "/")] * 4, [Start(), Start(delay_s=50.0), Start(after=1), Start(after=0, delay_s=50.0)]
        ).recordings

    assert [recording.end for recording in recordings] == [End.COMPLETE, End.STOPPED, End.STOPPED, End.STOPPED]
    assert [recording.send_start_ns for recording in recordings[1:]] == [0, 0, 0]


@pytest.mark.parametrize(
    "starts",
    [
        [Start()],
        [Start(delay_s=1.0), Start(delay_s=2.0)],
        [Start(), Start(after=1)],
        [Start(after=1), Start()],
        [Start(), Start(after=-1)],
    ],
    ids=["too few", "none first", "itself", "a later one", "nobody"],
)
def test_a_plan_that_cannot_be_followed(starts: Sequence[Start]) -> None:
    with pytest.raises(ValueError, match="a wave of 2 cannot be started"):
        LoadClient(Target(host="127.0.0.1", port=1), _LIMITS).run_wave([b"x", b"x"], starts)
