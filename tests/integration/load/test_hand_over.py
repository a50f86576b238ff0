"""Each request is handed over once, when it has ended; what goes wrong there loses nothing."""

import gc
import threading
from collections.abc import Sequence

import pytest
from tests.support.load import CHUNKED, payload, target_of
from tests.support.scripted_server import ScriptedServer, Step, close, hold, read_body, send, signal, until, wait

from sparktune.io.load.client import LoadClient
from sparktune.io.load.target import Limits
from sparktune.model.recording import End, Recording

_WHOLE = CHUNKED + b"0\r\n\r\n"
_LIMITS = Limits(connect_s=30.0, stall_s=30.0, timeout_s=60.0)


class _DiskFullError(Exception):
    pass


def _in_turn(count: int) -> dict[str, Sequence[Step]]:
    """Scripts whose requests end one after the other, the last one first."""
    turns = [threading.Event() for _ in range(count + 1)]
    turns[count].set()
    return {
        f"/{place}": [read_body(), wait(turns[place + 1]), send(_WHOLE), hold(), signal(turns[place])]
        for place in range(count)
    }


def test_order_is_that_of_ending() -> None:
    handed: list[tuple[int, Recording]] = []
    with ScriptedServer(_in_turn(4)) as server:
        client = LoadClient(
            target_of(server), _LIMITS, on_request=lambda index, recording: handed.append((index, recording))
        )
        recordings = client.run_wave([payload(server, f"/{place}") for place in range(4)]).recordings

    assert [index for index, _ in handed] == [3, 2, 1, 0]
    assert [recording for _, recording in reversed(handed)] == list(recordings)


def test_handed_over_while_others_still_run() -> None:
    """A crash in the tenth minute must not cost the requests of the first."""
    first_is_kept = threading.Event()
    scripts = {
        "/short": [read_body(), send(_WHOLE), hold()],
        "/long": [read_body(), wait(first_is_kept), send(_WHOLE), hold()],
    }
    with ScriptedServer(scripts) as server:
        client = LoadClient(target_of(server), _LIMITS, on_request=lambda _index, _recording: first_is_kept.set())
        recordings = client.run_wave([payload(server, "/long"), payload(server, "/short")]).recordings

    assert [recording.end for recording in recordings] == [End.COMPLETE] * 2


def test_failed_connections_are_handed_over_too() -> None:
    handed: list[End] = []
    with ScriptedServer({}) as server:
        target = target_of(server)
    client = LoadClient(target, _LIMITS, on_request=lambda _index, recording: handed.append(recording.end))
    client.run_wave([payload(server, "/")] * 3)

    assert handed == [End.CONNECT] * 3


def test_exception_is_raised_after_the_wave() -> None:
    """The store failed for one request: the others are still offered, the wave is kept, the error is not hidden."""
    handed: list[int] = []

    def fail_once(index: int, _recording: Recording) -> None:
        handed.append(index)
        if len(handed) == 1:
            raise _DiskFullError

    with ScriptedServer(_in_turn(3)) as server:
        client = LoadClient(target_of(server), _LIMITS, on_request=fail_once)
        with pytest.raises(_DiskFullError):
            client.run_wave([payload(server, f"/{place}") for place in range(3)])

    assert handed == [2, 1, 0]
    assert client.unreturned is not None
    assert [recording.data for recording in client.unreturned.recordings] == [_WHOLE] * 3
    assert gc.isenabled()


def test_first_of_several_exceptions() -> None:
    def fail(index: int, _recording: Recording) -> None:
        raise _DiskFullError(index)

    with ScriptedServer(_in_turn(3)) as server:
        client = LoadClient(target_of(server), _LIMITS, on_request=fail)
        with pytest.raises(_DiskFullError) as caught:
            client.run_wave([payload(server, f"/{place}") for place in range(3)])

    assert caught.value.args == (2,)


def test_interrupt_hands_over_everything() -> None:
    """Ctrl-C may hit the measuring thread itself; what the streams have is still kept."""
    handed: list[tuple[int, End]] = []

    def interrupted(index: int, recording: Recording) -> None:
        handed.append((index, recording.end))
        if len(handed) == 1:
            raise KeyboardInterrupt

    server = ScriptedServer({})
    client = LoadClient(target_of(server), _LIMITS, on_request=interrupted)
    part_is_there = until(lambda: client.progress().bytes_received >= len(CHUNKED))
    server.scripts = {
        "/long": [read_body(), send(CHUNKED), hold()],
        "/short": [read_body(), part_is_there, send(_WHOLE), close()],
    }
    with server, pytest.raises(KeyboardInterrupt):
        client.run_wave([payload(server, "/long"), payload(server, "/short")])

    assert handed == [(1, End.COMPLETE), (0, End.STOPPED)]
    assert gc.isenabled()


def test_waves_follow_each_other() -> None:
    with ScriptedServer({"/": [read_body(), send(_WHOLE), hold()]}) as server:
        client = LoadClient(target_of(server), _LIMITS)
        waves = [client.run_wave([payload(server, "/")] * 4) for _ in range(3)]

    assert [recording.end for wave in waves for recording in wave.recordings] == [End.COMPLETE] * 12
    assert waves[0].started_wall_s < waves[1].started_wall_s < waves[2].started_wall_s
    assert client.progress().finished == 4
