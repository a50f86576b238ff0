"""Start the reference server: ``python -m sparktune.io.reference --port 0 --ttft-ms 50``.

One JSON line on stdout, ``{"port": .., "pid": ..}``, says that it is ready.
"""

__all__ = ["main"]

import argparse
import contextlib
import gc
import os
import resource
import signal
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from sparktune.io.reference.knobs import Knobs, changed
from sparktune.io.reference.loop import Loop

_USAGE = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until SIGTERM, SIGINT or, when asked for, the end of stdin; return the exit code."""
    parser = _parser()
    options = vars(parser.parse_args(argv))
    port, cpu, with_stdin = options.pop("port"), options.pop("cpu"), options.pop("exit_with_stdin")
    given: dict[str, object] = {name: value for name, value in options.items() if value is not None}
    if "models" in given:
        given["models"] = str(given["models"]).split(",")
    try:
        knobs = changed(Knobs(), given, strict=False)
    except msgspec.ValidationError as error:
        parser.error(str(error))
    _prepare(cpu)
    reader, writer = socket.socketpair()
    writer.setblocking(False)
    signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    try:
        listener = socket.create_server(("127.0.0.1", port), backlog=1)
    except OSError as error:
        parser.error(f"port {port} of 127.0.0.1 cannot be had: {error.strerror or error}")
    loop = Loop(listener, knobs, stop_fd=reader.fileno(), parent_fd=sys.stdin.fileno() if with_stdin else None)
    ready = {"port": listener.getsockname()[1], "pid": os.getpid()}
    sys.stdout.write(msgspec.json.encode(ready).decode() + "\n")
    sys.stdout.flush()
    loop.run()
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m sparktune.io.reference", description=Knobs.__doc__)
    parser.add_argument("--port", type=int, default=0, help="port on 127.0.0.1; 0 takes a free one")
    parser.add_argument("--cpu", type=int, default=None, help="run on this core alone")
    parser.add_argument("--exit-with-stdin", action="store_true", help="end when stdin closes")
    for name in Knobs.__struct_fields__:
        parser.add_argument("--" + name.replace("_", "-"), default=None, metavar="VALUE")
    return parser


def _prepare(cpu: int | None) -> None:
    if cpu is not None:
        os.sched_setaffinity(0, {cpu})
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with contextlib.suppress(OSError):  # an older kernel: sleeps then end up to 50 us late, which the log shows
        Path("/proc/self/timerslack_ns").write_text("1", encoding="ascii")
    # A collection in the middle of a wave would make chunks late.
    gc.collect()
    gc.freeze()
    gc.disable()


if __name__ == "__main__":
    sys.exit(main())
