"""The reference server as a child process: start it, set its knobs, read its log, end it."""

__all__ = ["ReferenceProcess"]

import contextlib
import http.client
import select
import subprocess
import sys
from types import TracebackType
from typing import Self

import msgspec

from sparktune.errors import SparktuneError, UsageError
from sparktune.io.reference.knobs import Knobs, changed
from sparktune.io.reference.truth import TruthRecord, decode_log
from sparktune.units import Seconds

_HOST = "127.0.0.1"
_START_S: Seconds = 20.0
_ANSWER_S: Seconds = 60.0
_STOP_S: Seconds = 5.0


class _Ready(msgspec.Struct, frozen=True):
    port: int
    pid: int


class ReferenceProcess:
    """Context manager: the server runs inside the ``with`` block.

    ``cpu`` pins it to one core. It also ends when this process dies, whatever the reason. Raises SparktuneError when
    it does not start or does not answer.
    """

    def __init__(self, knobs: Knobs | None = None, *, cpu: int | None = None) -> None:
        """Keep what to start with; nothing runs yet."""
        self._knobs = knobs or Knobs()
        self._cpu = cpu
        self._child: subprocess.Popen[bytes] | None = None
        self._ready = _Ready(port=0, pid=0)

    def __enter__(self) -> Self:
        """Start the server and wait until it accepts connections."""
        argv = [sys.executable, "-P", "-m", "sparktune.io.reference", "--port", "0", "--exit-with-stdin"]
        argv += [] if self._cpu is None else ["--cpu", str(self._cpu)]
        self._child = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603 - our own argv
        try:
            self._ready = self._read_ready(self._child)
            self._post("/__cfg", msgspec.json.encode(self._knobs))
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """End the server."""
        self.stop()

    @property
    def host(self) -> str:
        """The address that it listens on."""
        return _HOST

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return self._ready.port

    @property
    def pid(self) -> int:
        """The process id of the server."""
        return self._ready.pid

    @property
    def base_url(self) -> str:
        """The base URL of its OpenAI routes."""
        return f"http://{_HOST}:{self.port}/v1"

    @property
    def knobs(self) -> Knobs:
        """The knobs as they are set."""
        return self._knobs

    def configure(self, **changes: object) -> Knobs:
        """Replace some knobs from the next request on; raises UsageError for an unknown knob or a bad value."""
        try:
            # Through JSON, so that enums and plain values are both welcome.
            knobs = changed(self._knobs, msgspec.json.decode(msgspec.json.encode(changes)))
        except msgspec.ValidationError as error:
            message = f"the reference server cannot be set so: {error}"
            raise UsageError(message) from None
        self._post("/__cfg", msgspec.json.encode(knobs))
        self._knobs = knobs
        return knobs

    def reset(self, knobs: Knobs | None = None) -> None:
        """Forget log, counters and prompts, and set the given knobs, or the defaults."""
        self._post("/__reset", b"")
        self._knobs = knobs or Knobs()
        self._post("/__cfg", msgspec.json.encode(self._knobs))

    def drain_log(self) -> tuple[TruthRecord, ...]:
        """Return the records of requests that ended since the last call, in the order of their ends."""
        return decode_log(self._ask("GET", "/__log", b""))

    def stop(self) -> None:
        """End the server; safe to call twice."""
        child, self._child = self._child, None
        if child is None:
            return
        child.terminate()
        try:
            child.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        for stream in (child.stdin, child.stdout):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()

    def _read_ready(self, child: subprocess.Popen[bytes]) -> _Ready:
        stdout = child.stdout
        if stdout is not None and select.select([stdout], [], [], _START_S)[0]:
            line = stdout.readline()
            if line:
                return msgspec.json.decode(line, type=_Ready)
        message = f"the reference server did not start within {_START_S:.0f} s (exit code {child.poll()})"
        raise SparktuneError(message, hint="what it wrote to stderr says why")

    def _post(self, path: str, body: bytes) -> bytes:
        return self._ask("POST", path, body)

    def _ask(self, method: str, path: str, body: bytes) -> bytes:
        connection = http.client.HTTPConnection(_HOST, self.port, timeout=_ANSWER_S)
        try:
            connection.request(method, path, body=body)
            reply = connection.getresponse()
            data = reply.read()
        except (OSError, http.client.HTTPException) as error:
            message = f"the reference server does not answer {method} {path}: {error}"
            raise SparktuneError(message) from error
        finally:
            connection.close()
        if reply.status != http.client.OK:
            message = f"the reference server answers {reply.status} to {method} {path}: {data[:200].decode()}"
            raise SparktuneError(message)
        return data
