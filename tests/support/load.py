"""Drive the load client against a scripted server."""

__all__ = ["CHUNKED", "payload", "target_of", "wave"]

from collections.abc import Sequence

from tests.support.scripted_server import ScriptedServer

from sparktune.io.load.client import LoadClient, WaveRecording
from sparktune.io.load.target import Limits, Target
from sparktune.io.load.wire import post_bytes

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
_NO_HURRY = Limits(connect_s=30.0, stall_s=30.0, timeout_s=60.0)


def target_of(server: ScriptedServer) -> Target:
    """Return where it listens."""
    return Target(host=server.host, port=server.port)


def payload(server: ScriptedServer, path: str, body: bytes = b"{}") -> bytes:
    """Return the request for a script."""
    return post_bytes(target_of(server), path, {"Content-Type": "application/json"}, body)


def wave(server: ScriptedServer, paths: Sequence[str], limits: Limits = _NO_HURRY) -> WaveRecording:
    """Send one request per path."""
    return LoadClient(target_of(server), limits).run_wave([payload(server, path) for path in paths])
