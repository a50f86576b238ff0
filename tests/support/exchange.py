"""A plain client for the tests: blocking, nothing of ours in it, so that the server is judged by its bytes."""

__all__ = ["Reply", "ask", "chat", "events"]

import http.client
import json
from dataclasses import dataclass
from typing import Any

from sparktune.io.reference.process import ReferenceProcess


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One whole answer."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, Any]:
        """The body, decoded."""
        return json.loads(self.body)


def ask(
    reference: ReferenceProcess, method: str, path: str, body: object = None, headers: dict[str, str] | None = None
) -> Reply:
    """Send one request on its own connection and read all of the answer."""
    connection = http.client.HTTPConnection(reference.host, reference.port, timeout=20)
    try:
        data = None if body is None else json.dumps(body).encode()
        connection.request(method, path, body=data, headers={"Connection": "close", **(headers or {})})
        answer = connection.getresponse()
        return Reply(status=answer.status, headers=dict(answer.getheaders()), body=answer.read())
    finally:
        connection.close()


def chat(reference: ReferenceProcess, *, prompt: str = "one two three", stream: bool = True, **fields: object) -> Reply:
    """Send one chat request."""
    body = {"model": "reference", "messages": [{"role": "user", "content": prompt}], "stream": stream, **fields}
    return ask(reference, "POST", "/v1/chat/completions", body)


def events(reply: Reply) -> list[dict[str, Any]]:
    """Return the JSON of each event, without the end mark and comments."""
    blocks = reply.body.decode().split("\n\n")
    data = [block.removeprefix("data: ") for block in blocks if block.startswith("data: ")]
    return [json.loads(item) for item in data if item != "[DONE]"]
