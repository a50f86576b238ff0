"""A server of known pace on the standard library alone, for containers and nodes: ``paced_server.py PORT``.

It streams as many words as were asked for, one every ``ITL_MS`` (or ``--itl-ms``). Above ``MOST_MS`` the start fails,
in the words of an engine that has no memory. The model is called ``paced``. With ``--minds PID`` a word takes twelve
times as long while that process may run on one CPU only: a service that needs the thread where it was.
"""

import argparse
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_WORD = "word "
_SLOWER = 12


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    step_s = 0.0
    minds = 0

    def do_GET(self) -> None:
        answers = {
            "/health": {"status": "ok"},
            "/v1/models": {"object": "list", "data": [{"id": "paced"}]},
            "/props": {"total_slots": 1, "step_ms": 1000 * self.step_s},
        }
        self._plain(answers.get(self.path))

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
        if self.path not in {"/v1/completions", "/v1/chat/completions"}:
            self._plain(None)
            return
        count = int(asked.get("max_tokens") or asked.get("max_completion_tokens") or 1)
        if not asked.get("stream"):
            time.sleep(count * self._step_s())
            self._plain({**self._choice(_WORD * count, "length", whole=True), **_usage(asked, count)})
            return
        self._stream(asked, count)

    def _stream(self, asked: dict, count: int) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for number in range(count):
            time.sleep(self._step_s())
            self._event(self._choice(_WORD, "length" if number == count - 1 else None))
        if (asked.get("stream_options") or {}).get("include_usage"):
            self._event({"choices": [], **_usage(asked, count)})
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def _step_s(self) -> float:
        slower = bool(self.minds) and len(os.sched_getaffinity(self.minds)) == 1
        return self.step_s * _SLOWER if slower else self.step_s

    def _choice(self, text: str, finish: str | None, *, whole: bool = False) -> dict:
        chat = self.path.endswith("/chat/completions")
        said = {"role": "assistant", "content": text}
        told = {("message" if whole else "delta"): said} if chat else {"text": text}
        return {"id": "1", "model": "paced", "choices": [{"index": 0, **told, "finish_reason": finish}]}

    def _event(self, content: dict) -> None:
        self.wfile.write(b"data: " + json.dumps(content).encode() + b"\n\n")

    def _plain(self, content: object) -> None:
        body = json.dumps(content).encode()
        self.send_response(200 if content is not None else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments: object) -> None:
        return


def _usage(asked: dict, count: int) -> dict:
    text = asked.get("prompt") or " ".join(str(one.get("content")) for one in asked.get("messages") or ())
    words = len(text) if isinstance(text, list) else len(str(text).split())
    return {"usage": {"prompt_tokens": words, "completion_tokens": count, "total_tokens": words + count}}


def main() -> None:
    """Serve."""
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--itl-ms", type=float, default=float(os.environ.get("ITL_MS", "10")))
    parser.add_argument("--minds", type=int, default=0, metavar="PID")
    asked = parser.parse_args()
    if asked.itl_ms > float(os.environ.get("MOST_MS", "100")):
        sys.exit(f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {asked.itl_ms:g} GiB.")
    _Handler.step_s, _Handler.minds = asked.itl_ms / 1000, asked.minds
    sys.stdout.write(f"listening on {asked.port}\n")
    sys.stdout.flush()
    ThreadingHTTPServer((asked.host, asked.port), _Handler).serve_forever()


if __name__ == "__main__":
    main()
