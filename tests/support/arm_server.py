"""A server with bad habits, for tests of starting and stopping: ``arm_server.py PORT [--slots N] [HABIT ...]``.

It answers the routes by which a server is known, generates one word, and tells its slots (``--cap`` at most) at
``/props``. Habits: ``ignore-term`` (must be killed), ``leave-child`` (a child in a session of its own keeps the port
when this one ends), ``silent`` (accepts, and never answers), ``loading`` (answers 503 for ever), ``odd`` (answers 500).
"""

import argparse
import json
import os
import signal
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_HABITS = ("ignore-term", "leave-child", "silent", "loading", "odd")


def _handler(slots: int, habits: list[str]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answers = {
                "/health": {"status": "ok"},
                "/v1/models": {"object": "list", "data": [{"id": "m"}]},
                "/props": {"total_slots": slots, "nested": [{"deep": True}]},
            }
            self._answer(answers.get(self.path))

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            message = {"role": "assistant", "content": "yes"}
            self._answer({"choices": [{"index": 0, "message": message, "finish_reason": "length"}]})

        def _answer(self, content: object) -> None:
            while "silent" in habits:
                time.sleep(1)
            status = 200 if content is not None else 404
            status = 503 if "loading" in habits else 500 if "odd" in habits else status
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_arguments: object) -> None:
            return

    return Handler


def main() -> None:
    """Serve."""
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("--slots", type=int, default=1)
    parser.add_argument("--cap", type=int, default=99)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--served-model-name")
    parser.add_argument("habits", nargs="*", help=", ".join(_HABITS))
    options = parser.parse_intermixed_args()
    if "ignore-term" in options.habits:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    handler = _handler(min(options.slots, options.cap), options.habits)
    server = ThreadingHTTPServer((options.host, options.port), handler)
    sys.stdout.write(f"listening on {options.port}\n")
    sys.stdout.flush()
    if "leave-child" in options.habits and os.fork():
        signal.pause()  # the child serves
    elif "leave-child" in options.habits:
        os.setsid()
    server.serve_forever()


if __name__ == "__main__":
    main()
