"""The program of the demo's server process: ``python -m sparktune.io.demo_child MODEL NAME SLOTS CONTEXT_TOKENS``.

It loads a model into llama.cpp's own server, writes one JSON line to stdout - with the address when it is ready, or
with what keeps the engine from being loaded - and lives until its stdin ends. The parent holds the other end of that
pipe, so the server goes when the parent goes, however it went. Source: xllamacpp 2026.10 (its CommonParams are
llama.cpp's; with port 0 the server chooses one).
"""

__all__ = ["main"]

import json
import os
import sys


def main() -> None:
    """Serve until stdin ends."""
    try:
        import xllamacpp  # noqa: PLC0415 - a library that it is linked with may be missing, and that has to be told
    except ImportError as error:
        sys.stdout.write(json.dumps({"missing": str(error)}) + "\n")
        return
    model, name, slots, context_tokens = sys.argv[1:]
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.model_alias = {name}
    params.n_parallel = int(slots)
    # llama.cpp divides the context among the slots
    params.n_ctx = int(context_tokens) * int(slots)
    # One thread: ggml's threads wait in spin loops, and more of them than free cores is far slower than one.
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.endpoint_metrics = True
    params.endpoint_slots = True
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.ui = False
    params.cache_ram_mib = 0
    server = xllamacpp.Server(params)
    sys.stdout.write(json.dumps({"url": server.listening_address}) + "\n")
    sys.stdout.flush()
    sys.stdin.buffer.read()
    # At once: the server's own farewell waits for streams that nobody reads any more.
    os._exit(0)


if __name__ == "__main__":
    main()
