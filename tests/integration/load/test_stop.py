"""Stopping a wave from outside keeps what every stream had, at any moment."""

import threading
from concurrent.futures import ThreadPoolExecutor

from tests.support.load import CHUNKED, payload, target_of
from tests.support.scripted_server import ScriptedServer, hold, read_body, send, signal, until, wait_until

from sparktune.io.load.client import LoadClient, Progress
from sparktune.io.load.target import Limits
from sparktune.model.recording import End, Recording

_PART = CHUNKED + b"1\r\na\r\n"
_LIMITS = Limits(connect_s=30.0, stall_s=30.0, timeout_s=60.0)


def test_stop_from_another_thread() -> None:
    done: list[int] = []
    with ScriptedServer({"/": [read_body(), send(_PART), hold()]}) as server:
        client = LoadClient(target_of(server), _LIMITS, on_request=lambda index, _recording: done.append(index))
        with ThreadPoolExecutor() as pool:
            running = pool.submit(client.run_wave, [payload(server, "/")] * 3)
            wait_until(lambda: client.progress().bytes_received == 3 * len(_PART))
            midway = client.progress()
            client.stop()
            recordings = running.result(30).recordings

    assert (midway.open_streams, midway.finished, midway.reads >= 3) == (3, 0, True)
    assert [(recording.end, recording.data) for recording in recordings] == [(End.STOPPED, _PART)] * 3
    assert sorted(done) == [0, 1, 2]
    assert (client.progress().open_streams, client.progress().bytes_received) == (0, 3 * len(_PART))


def test_stop_between_waves_is_not_lost() -> None:
    """Nothing may be sent any more once the user said stop."""
    with ScriptedServer({"/": [read_body(), send(_PART), hold()]}) as server:
        client = LoadClient(target_of(server), _LIMITS)
        client.stop()
        waves = [client.run_wave([payload(server, "/")] * 6) for _ in range(2)]

        assert server.connections == {}
    assert {recording.end for wave in waves for recording in wave.recordings} == {End.STOPPED}
    assert {recording.send_start_ns for wave in waves for recording in wave.recordings} == {0}


def test_stop_while_a_prompt_is_still_being_sent() -> None:
    begun = threading.Event()
    with ScriptedServer({"/": [signal(begun), hold()]}) as server:
        client = LoadClient(target_of(server), _LIMITS)
        with ThreadPoolExecutor() as pool:
            running = pool.submit(client.run_wave, [payload(server, "/", b"x" * 20_000_000)])
            assert begun.wait(30)
            client.stop()
            (recording,) = running.result(30).recordings

    assert recording.end is End.STOPPED


def test_finished_requests_are_not_touched_by_a_stop() -> None:
    whole = CHUNKED + b"0\r\n\r\n"

    def stop_at_first(_index: int, _recording: Recording) -> None:
        client.stop()

    server = ScriptedServer({})
    client = LoadClient(target_of(server), _LIMITS, on_request=stop_at_first)
    part_is_there = until(lambda: client.progress().bytes_received >= len(_PART))
    server.scripts = {
        "/": [read_body(), part_is_there, send(whole), hold()],
        "/long": [read_body(), send(_PART), hold()],
    }
    with server:
        recordings = client.run_wave([payload(server, "/"), payload(server, "/long")]).recordings

    assert [recording.end for recording in recordings] == [End.COMPLETE, End.STOPPED]
    assert [recording.data for recording in recordings] == [whole, _PART]


def test_progress_before_the_first_wave() -> None:
    with ScriptedServer({}) as server:
        progress = LoadClient(target_of(server), _LIMITS).progress()

    assert progress == Progress(bytes_received=0, reads=0, open_streams=0, finished=0)
