"""The recording process: reads frames from a socket, writes the trace, and tells its parent in lines of JSON.

It is a process of its own so that no work on copies ever stands in the way of the bytes themselves, and it ends when
its parent does: then everything up to that moment is in the file.
"""

__all__ = ["main"]

import os
import signal
import socket
import sys
import time
from typing import Any

import msgspec

from sparktune.bench.traffic.exchanges import End
from sparktune.bench.traffic.recorder import Recorder
from sparktune.io.record.frames import Frame, Kind, read_frames
from sparktune.io.record.trace_file import TraceFile
from sparktune.units import Nanoseconds

_KEY_BYTES = 32
_NICE = 10
_TELL_EVERY_NS: Nanoseconds = 500_000_000


class _Child:
    def __init__(self, trace: TraceFile, *, with_text: bool) -> None:
        self._trace = trace
        self._failing = False
        # Random, and nowhere but here: what is written of prefixes means nothing without it.
        self._recorder = Recorder(os.urandom(_KEY_BYTES), self._append, with_text=with_text)
        self._stopping = False
        self._told_ns: Nanoseconds = 0

    def take(self, frame: Frame) -> None:
        recorder, number = self._recorder, frame.connection
        if frame.kind is Kind.DOWN:
            recorder.down(number, frame.data, frame.at_ns)
        elif frame.kind is Kind.UP:
            recorder.up(number, frame.data, frame.at_ns)
        elif frame.kind is Kind.OPENED:
            recorder.opened(number)
        elif frame.kind in {Kind.CLIENT_GONE, Kind.SERVER_GONE}:
            end = End.CLIENT_GONE if frame.kind is Kind.CLIENT_GONE else End.SERVER_GONE
            recorder.closed(number, end, frame.at_ns)
        elif frame.kind is Kind.SKIPPED:
            recorder.skipped(number, frame.at_ns)
        elif frame.kind is Kind.STOPPING:
            self._stopping = True
            _tell(idle=recorder.idle())
        elif frame.kind is Kind.CLIENT_DONE:
            recorder.client_done(number)
        if self._stopping and frame.kind in {Kind.DOWN, Kind.UP} and recorder.is_idle(number):
            _tell(idle=(number,))
        if frame.at_ns - self._told_ns > _TELL_EVERY_NS:
            self._told_ns = frame.at_ns
            _tell(tally=recorder.tally())

    def end(self) -> None:
        self._recorder.end(time.monotonic_ns())
        try:
            self._trace.sync()
        except OSError as error:
            _tell(trouble=f"the file could not be forced to the disk: {error.strerror or error}")
        _tell(tally=self._recorder.tally(), final=True)

    def _append(self, line: bytes) -> bool:
        kept = self._trace.append(line)
        if not kept and not self._failing:
            _tell(trouble=f"cannot write to the file: {self._trace.error}; requests are passed on all the same")
        elif kept and self._failing:
            _tell(trouble="the file can be written again")
        self._failing = not kept
        return kept


def _tell(**members: Any) -> None:  # noqa: ANN401 - JSON members
    try:
        sys.stdout.buffer.write(msgspec.json.encode(members) + b"\n")
        sys.stdout.buffer.flush()
    except (BrokenPipeError, ValueError):  # nobody listens any more: the file is what counts
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def main() -> None:
    """Record: ``FRAMES_FD FILE_FD WITH_TEXT``."""
    # Ctrl-C in a terminal reaches this process too; the parent decides when the recording is over.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    os.nice(_NICE)  # copies may wait, and the bytes themselves may not
    frames_fd, file_fd, with_text = map(int, sys.argv[1:])
    child = _Child(TraceFile(file_fd), with_text=bool(with_text))
    with socket.socket(fileno=frames_fd) as sock, sock.makefile("rb") as stream:
        for frame in read_frames(stream):
            if frame.kind is Kind.END:
                break
            child.take(frame)
        child.end()


if __name__ == "__main__":
    main()
