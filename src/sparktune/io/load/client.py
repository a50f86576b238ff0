"""The load client: waves of requests to one server, sent at once or by a plan, recorded and not understood."""

__all__ = ["LoadClient", "OnRequest", "Progress", "WaveRecording"]

import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from sparktune.host.cpulist import CpuSet
from sparktune.io.load.clock import SYSTEM_CLOCKS, Clocks
from sparktune.io.load.connect import Steps, connect
from sparktune.io.load.late import LateStreams
from sparktune.io.load.names import Route
from sparktune.io.load.opening import open_streams
from sparktune.io.load.stop import StopSignal
from sparktune.io.load.stream import Stream
from sparktune.io.load.target import Limits, Target
from sparktune.io.load.tls import TlsSession, client_context
from sparktune.io.load.wave import OnRequest, WaveRecording, record_wave
from sparktune.model.arrival import Start
from sparktune.units import Bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far the wave under way, or the last one, is; ``bytes_received`` includes HTTP heads and framing."""

    bytes_received: Bytes
    reads: int
    open_streams: int
    finished: int


class LoadClient:
    """Sends waves of requests to one target, one wave at a time.

    ``on_request`` gets the place in the wave and the recording of each request once it ended, in the order of ending,
    in the thread of ``run_wave``. It is called in moments when nothing is waiting to be read, or after the wave; while
    it runs nothing is read, so that packets that arrive meanwhile share a stamp per stream: it should be quick.

    Memory: one wave, that is the bytes received and 64 bytes per read (24 once a request has ended), and while a
    request is turned into its recording its bytes a second time. ``cores`` are those that the thread of ``run_wave`` is
    kept on while it measures; none named: all that it may use.
    """

    def __init__(
        self,
        target: Target,
        limits: Limits,
        on_request: OnRequest | None = None,
        *,
        clocks: Clocks = SYSTEM_CLOCKS,
        cores: CpuSet = frozenset(),
    ) -> None:
        """Hold the settings; the name is resolved and the CA file read with the first wave."""
        self._target = target
        self._limits = limits
        self._on_request = on_request
        self._clocks = clocks
        self._cores = cores
        self._stop = StopSignal()
        self._route: Route | None = None
        self._context: ssl.SSLContext | None = None
        self._streams: Sequence[Stream] = ()
        self.unreturned: WaveRecording | None = None

    def run_wave(self, payloads: Sequence[bytes], starts: Sequence[Start] = ()) -> WaveRecording:
        """Open a connection per payload, send all payloads back to back, and read until every answer is over.

        ``starts``, one per payload where there are any, hold some of them back; these are connected shortly before they
        are due, and their recordings say when that was. Payloads are whole requests (see ``post_bytes``). What goes
        wrong with a request is in its recording. Raises ConnectFailed when the name cannot be resolved, UsageError for
        a CA file that cannot be used, ValueError for an empty wave, or starts that cannot be followed. When
        ``on_request`` raised, the wave still goes on and hands over the others; then its first exception is raised, and
        the wave is kept in ``unreturned``.
        """
        if not payloads:
            message = "a wave needs at least one payload"
            raise ValueError(message)
        _check(starts, len(payloads))
        self.unreturned = None
        if self._target.tls and self._context is None:
            self._context = client_context(self._target)
        route = self._route = self._route or Route(self._target)
        streams = self._streams = [Stream(index=index, payload=payload) for index, payload in enumerate(payloads)]
        try:
            with self._stop.watched() as wake_fd:
                opening = partial(self._connect, route)
                first = [stream for stream in streams if not starts or starts[stream.index].at_once]
                open_streams(first, opening, self._limits.connect_s, wake_fd)
                wave, error = record_wave(
                    streams,
                    self._limits,
                    wake_fd=wake_fd,
                    on_request=self._on_request,
                    clocks=self._clocks,
                    late=LateStreams(streams, starts, opening, self._limits.connect_s) if starts else None,
                    cores=self._cores,
                )
        finally:
            for stream in streams:
                stream.abandon()
        if error is not None:
            self.unreturned = wave
            raise error
        return wave

    def _connect(self, route: Route, stream: Stream) -> Steps:
        session = TlsSession(self._context, self._target.certificate_name) if self._context else None
        return connect(stream, route, session)

    def stop(self) -> None:
        """End the wave under way, or the next one: open streams end with STOPPED and keep what they have.

        For any thread or signal handler. It is final: later waves end at once.
        """
        self._stop.set()

    def progress(self) -> Progress:
        """Say how far the wave is; for any thread, costs some microseconds per stream."""
        streams = self._streams
        finished = sum(stream.end is not None for stream in streams)
        return Progress(
            bytes_received=sum(stream.received_bytes for stream in streams),
            reads=sum(len(stream.ends) for stream in streams),
            open_streams=len(streams) - finished,
            finished=finished,
        )


def _check(starts: Sequence[Start], count: int) -> None:
    """Refuse starts that never come: each may wait for an earlier stream only, and one has to be first."""
    if not starts:
        return
    followed = all(start.after is None or 0 <= start.after < index for index, start in enumerate(starts))
    if len(starts) != count or not followed or not any(start.at_once for start in starts):
        message = f"a wave of {count} cannot be started like this: {starts}"
        raise ValueError(message)
