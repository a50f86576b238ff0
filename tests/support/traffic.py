"""Exchanges as they pass a proxy: bytes of requests and answers, and the lines that a recording makes of them."""

__all__ = ["KEY", "Passed", "answer", "chat", "events", "recorded", "request"]

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sparktune.bench.traffic.exchanges import End
from sparktune.bench.traffic.recorder import Recorder, Tally

KEY = b"a key of the test"
_MS = 1_000_000


def request(
    body: Mapping[str, Any] | bytes,
    path: str = "/v1/chat/completions",
    *,
    method: str = "POST",
    headers: Mapping[str, str] | None = None,
) -> bytes:
    """Return the bytes of a request with a length."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    given = {"Host": "x", "Authorization": "Bearer very-secret", "Content-Length": str(len(data)), **(headers or {})}
    lines = "".join(f"{name}: {value}\r\n" for name, value in given.items())
    return f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode() + data


def answer(body: bytes, *, status: int = 200, kind: str = "application/json", **headers: str) -> bytes:
    """Return the bytes of an answer with a length."""
    given = {"Content-Type": kind, "Content-Length": str(len(body)), **headers}
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in given.items())
    return f"HTTP/1.1 {status} X\r\n{lines}\r\n".encode() + body


def chat(*messages: tuple[str, str], **more: Any) -> dict[str, Any]:  # noqa: ANN401 - members of a body
    """Return the body of a chat request."""
    return {"model": "m", "messages": [{"role": role, "content": text} for role, text in messages], **more}


def events(*payloads: Mapping[str, Any] | str) -> bytes:
    """Return server-sent events."""
    texts = [one if isinstance(one, str) else json.dumps(one) for one in payloads]
    return "".join(f"data: {text}\n\n" for text in texts).encode()


@dataclass
class Passed:
    """What a recording made of it."""

    lines: list[dict[str, Any]] = field(default_factory=list)
    raw: bytes = b""
    tally: Tally = field(default_factory=Tally)


def recorded(
    passed: Iterable[tuple[str, bytes]], *, end: End = End.SERVER_GONE, piece: int = 0, with_text: bool = False
) -> Passed:
    """Let bytes pass on one connection, 1 ms apart: ``("up", b"...")`` and ``("down", b"...")``.

    ``piece`` cuts them into pieces of that size, which change nothing but times.
    """
    found = Passed()

    def write(line: bytes) -> bool:
        found.raw += line
        found.lines.append(json.loads(line))
        return True

    recorder = Recorder(KEY, write, with_text=with_text)
    recorder.opened(1)
    at_ns = 0
    for side, data in passed:
        at_ns += _MS
        size = piece or max(1, len(data))
        for start in range(0, len(data), size):
            (recorder.up if side == "up" else recorder.down)(1, data[start : start + size], at_ns)
    recorder.closed(1, end, at_ns + _MS)
    recorder.end(at_ns + 2 * _MS)
    found.tally = recorder.tally()
    return found
