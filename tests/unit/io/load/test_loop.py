"""The loop on local socket pairs whose bytes are all there before it starts: what it reads first, what it leaves."""

import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from sparktune.io.load.loop import WaveLoop
from sparktune.io.load.stop import StopSignal
from sparktune.io.load.stream import Stream
from sparktune.io.load.target import Limits
from sparktune.model.recording import End

_HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"
_LIMITS = Limits(stall_s=30.0, timeout_s=60.0)


@dataclass(kw_only=True)
class _Wave:
    """Streams with the far ends of their connections, and what the loop reported."""

    streams: list[Stream] = field(default_factory=list)
    servers: list[socket.socket] = field(default_factory=list)
    handed: list[int] = field(default_factory=list)
    seen: list[int] = field(default_factory=list)
    ticks: int = 0

    def add(self, answer: bytes, *, payload: bytes = b"request", closes: bool = False) -> None:
        ours, other = socket.socketpair()
        ours.setblocking(False)
        other.sendall(answer)
        if closes:
            other.shutdown(socket.SHUT_WR)
        stream = Stream(index=len(self.streams), payload=payload)
        stream.attach(ours, ours.recvmsg, payload, kernel_stamps=False)
        self.streams.append(stream)
        self.servers.append(other)

    def hand_over(self, stream: Stream) -> None:
        self.handed.append(stream.index)
        self.seen.append(sum(each.received_bytes for each in self.streams))

    def tick(self) -> None:
        self.ticks += 1

    def run(
        self,
        limits: Limits = _LIMITS,
        *,
        stop: StopSignal | None = None,
        hand_over: Callable[[Stream], None] | None = None,
    ) -> None:
        with (stop or StopSignal()).watched() as wake_fd:
            loop = WaveLoop(
                self.streams, limits, wake_fd=wake_fd, tick=self.tick, hand_over=hand_over or self.hand_over
            )
            loop.run()


@pytest.fixture
def wave() -> Iterator[_Wave]:
    made = _Wave()
    yield made
    for stream in made.streams:
        stream.abandon()
    for server in made.servers:
        server.close()


def _answer(size: int) -> bytes:
    return _HEAD % size + b"x" * size


def test_nothing_is_handed_over_while_something_can_be_read(wave: _Wave) -> None:
    """Handing over takes time, and what waits meanwhile loses its own stamp: reading goes first."""
    sizes = [10, 60_000, 35_000]
    for size in sizes:
        wave.add(_answer(size))
    wave.run()

    assert wave.handed == [0, 2, 1]
    assert wave.seen == [sum(len(_answer(size)) for size in sizes)] * 3


def test_requests_are_sent_in_order(wave: _Wave) -> None:
    for _ in range(3):
        wave.add(_answer(1), payload=b"GET it")
    wave.run()

    assert [server.recv(100) for server in wave.servers] == [b"GET it"] * 3
    assert [stream.send_start_ns for stream in wave.streams] == sorted(stream.send_start_ns for stream in wave.streams)


def test_streams_that_had_ended_are_handed_over_first(wave: _Wave) -> None:
    wave.add(_answer(1))
    wave.add(_answer(1))
    wave.streams[1].finish(End.CONNECT, 1, "refused")
    wave.run()

    assert (wave.handed[0], wave.streams[1].end, wave.streams[0].end) == (1, End.CONNECT, End.COMPLETE)


def test_clocks_are_looked_at_before_the_first_and_after_the_last_read(wave: _Wave) -> None:
    wave.add(_answer(1))
    wave.run()

    assert wave.ticks >= 2


def test_stop_before_sending_sends_nothing(wave: _Wave) -> None:
    stop = StopSignal()
    stop.set()
    wave.add(b"")
    wave.run(stop=stop)
    wave.servers[0].setblocking(False)

    assert wave.streams[0].end is End.STOPPED
    assert wave.servers[0].recv(100) == b""
    assert wave.handed == [0]


def test_stop_among_packets(wave: _Wave) -> None:
    """The stop is seen in the same moment as packets of streams that it ends."""
    stop = StopSignal()
    for size in (1, 30_000, 30_000):
        wave.add(_answer(size))

    def stop_at_first(stream: Stream) -> None:
        stop.set()
        wave.hand_over(stream)

    wave.add(b"", closes=False)
    wave.run(stop=stop, hand_over=stop_at_first)

    assert [stream.end for stream in wave.streams] == [*[End.COMPLETE] * 3, End.STOPPED]
    assert sorted(wave.handed) == [0, 1, 2, 3]


def test_what_is_there_is_read_before_a_stall_is_declared(wave: _Wave) -> None:
    """When this process stood still for longer than the limit, the server did not."""
    limits = Limits(stall_s=0.0, timeout_s=60.0)
    wave.add(_answer(20_000))
    wave.run(limits)

    assert (wave.streams[0].end, wave.streams[0].received_bytes) == (End.COMPLETE, len(_answer(20_000)))


@pytest.mark.parametrize(
    ("limits", "end", "detail"),
    [
        (Limits(stall_s=0.03, timeout_s=60.0), End.STALL, "nothing arrived for 30.0 ms"),
        (Limits(stall_s=60.0, timeout_s=0.03), End.TIMEOUT, "not over after 30.0 ms"),
    ],
)
def test_limit_in_the_middle_keeps_what_had_come(wave: _Wave, limits: Limits, end: End, detail: str) -> None:
    wave.add(_answer(10_000)[:-1])
    wave.add(_answer(5))
    wave.run(limits)

    assert [stream.end for stream in wave.streams] == [end, End.COMPLETE]
    assert (bytes(wave.streams[0].data), wave.streams[0].detail) == (_answer(10_000)[:-1], detail)


def test_failure_in_the_middle_ends_and_hands_over_everything(wave: _Wave) -> None:
    """Whatever breaks, no request that was under way may vanish."""
    wave.add(_answer(1))
    wave.add(b"part")

    def broken() -> None:
        raise MemoryError

    with StopSignal().watched() as wake_fd:
        loop = WaveLoop(wave.streams, _LIMITS, wake_fd=wake_fd, tick=broken, hand_over=wave.hand_over)
        with pytest.raises(MemoryError):
            loop.run()

    assert sorted(wave.handed) == [0, 1]
    assert wave.streams[1].end is End.STOPPED
    assert bytes(wave.streams[1].data) == b"part"


def test_large_request_waits_for_room_without_blocking_others(wave: _Wave) -> None:
    """The small answer is complete although the large request has not been taken."""
    wave.add(b"", payload=b"x" * 10_000_000)
    wave.add(_answer(5))

    def read_on(stream: Stream) -> None:
        wave.hand_over(stream)
        if stream.index == 1:
            wave.servers[0].sendall(_answer(2))
            wave.servers[0].shutdown(socket.SHUT_WR)

    wave.run(hand_over=read_on)

    assert wave.handed == [1, 0]
    assert (wave.streams[0].end, wave.streams[0].send_end_ns) == (End.COMPLETE, 0)


def test_closed_far_end_wakes_the_loop(wave: _Wave) -> None:
    wave.add(b"part", closes=True)
    wave.servers[0].close()
    wave.run()

    assert (wave.streams[0].end, bytes(wave.streams[0].data)) == (End.CLOSED, b"part")
