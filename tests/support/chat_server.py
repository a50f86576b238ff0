"""A chat server that a test writes as a function: the request's fields in, status and answer out."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Chat = Callable[[Mapping[str, Any]], tuple[int, object]]
"""Bytes are sent as they are, as an event stream; everything else as JSON."""


def completion(text: str = "", *, calls: object = None, finish: str = "stop", prompt_tokens: int | None = 9) -> object:
    """Return a chat completion."""
    message = {"role": "assistant", "content": text, **({} if calls is None else {"tool_calls": calls})}
    usage = {} if prompt_tokens is None else {"usage": {"prompt_tokens": prompt_tokens, "completion_tokens": 1}}
    return {"choices": [{"index": 0, "message": message, "finish_reason": finish}], **usage}


def chunk(text: str, finish: str = "stop") -> bytes:
    """Return a stream of one chunk."""
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish}
    return f"data: {json.dumps({'choices': [choice]})}\n\ndata: [DONE]\n\n".encode()


@contextmanager
def chat_server(chat: Chat, *, key: str = "") -> Iterator[str]:
    """Serve at an address that is handed out; with ``key`` only to who sends it."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            listed = {"object": "list", "data": [{"id": "m", "object": "model"}]}
            self._send(*((200, listed) if self.path in {"/v1/models", "/health"} else (404, {})))

        def do_POST(self) -> None:
            fields = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self._send(*chat(fields))

        def _send(self, status: int, content: object) -> None:
            if key and self.headers.get("Authorization") != f"Bearer {key}":
                status, content = 401, {"error": {"message": "no such key"}}
            stream = isinstance(content, bytes)
            body = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "text/event-stream" if stream else "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_arguments: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
