"""The program of the demo's server process: llama.cpp's own server, with one thread, on this machine only.

    python -m sparktune.io.demo_child [--model FILE] [--name NAME] [--parallel N] [--context-tokens N] [--port N]

It loads a model, the demo's own unless one is named, and writes one JSON line to stdout: the address when it is ready,
or what keeps the engine from being loaded. It lives as long as whoever started it, however that ends: until its stdin
ends, where that is a pipe; with ``--with-parent`` until its parent is gone; else until it is told to end. Source:
xllamacpp 2026.10 (its CommonParams are llama.cpp's; with port 0 the server chooses one).
"""

__all__ = ["main"]

import argparse
import json
import os
import signal
import stat
import sys
import time
from pathlib import Path
from typing import Any

from sparktune.errors import SparktuneError
from sparktune.io.demo_server import find_model

_LOOK_S = 0.2


def main() -> None:
    """Serve until it is time to end."""
    parent = os.getppid()
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    asked = _arguments()
    try:
        import xllamacpp  # noqa: PLC0415 - a library that it is linked with may be missing, and that has to be told
    except ImportError as error:
        sys.stdout.write(json.dumps({"missing": str(error)}) + "\n")
        return
    try:
        model = find_model(asked.model)
    except SparktuneError as error:
        sys.exit(f"error: {error}\nhint: {error.hint}")
    params = xllamacpp.CommonParams()
    _set(params, asked, model)
    server = xllamacpp.Server(params)
    sys.stdout.write(json.dumps({"url": server.listening_address}) + "\n")
    sys.stdout.flush()
    _wait(parent if asked.with_parent else None)
    # At once: the server's own farewell waits for streams that nobody reads any more.
    os._exit(0)


def _set(params: Any, asked: argparse.Namespace, model: Path) -> None:  # noqa: ANN401 - the library has no types
    params.model.path = str(model)
    params.model_alias = {asked.name or model.stem}
    params.n_parallel = asked.parallel
    # llama.cpp divides the context among the slots
    params.n_ctx = asked.context_tokens
    # One thread: ggml's threads wait in spin loops, and more of them than free cores is far slower than one.
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.endpoint_metrics = True
    params.endpoint_slots = True
    params.hostnames = ["127.0.0.1"]
    params.port = asked.port
    params.ui = False
    params.cache_ram_mib = 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="demo_child", allow_abbrev=False)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--name", default="")
    parser.add_argument("--parallel", type=int, default=1)
    parser.add_argument("--context-tokens", type=int, default=4096)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--with-parent", action="store_true")
    return parser.parse_args()


def _wait(parent: int | None) -> None:
    if stat.S_ISFIFO(os.fstat(sys.stdin.fileno()).st_mode):
        sys.stdin.buffer.read()
        return
    while parent is None or os.getppid() == parent:
        time.sleep(_LOOK_S)


if __name__ == "__main__":
    main()
