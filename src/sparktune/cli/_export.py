"""Put ``sparktune export`` together: what is to be asked, the flow, and where its text goes."""

__all__ = ["ExportArguments", "run_export", "write_generated"]

import asyncio
import ipaddress
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import typer

from sparktune.cli._drift import DriftArguments, seconds_of, wish_of
from sparktune.cli._nodes import targets_of
from sparktune.cli._place.scan import ScanArguments, server_of
from sparktune.cli._waiting import waiting_said
from sparktune.errors import ExitCode, UsageError
from sparktune.flows.export import ExportWish, export_exit, look_once, nothing_yet, serve_looks
from sparktune.io.cluster import NodeTarget
from sparktune.io.config import find_config, load_config
from sparktune.io.earned import find_earned
from sparktune.io.files import check_writable, write_atomic
from sparktune.io.metrics_server import MetricsServer
from sparktune.report.prometheus.seen import Seen
from sparktune.report.prometheus.text import CONTENT_TYPE, export_json, export_text
from sparktune.report.prometheus.values import unknowns_of
from sparktune.units import Seconds, format_count

_LOCAL: Final = "127.0.0.1"
_LAST_PORT: Final = 65_535
_EVERY_S: Final[Seconds] = 60.0
_LEAST_S: Final[Seconds] = 5.0
_PROM: Final = ".prom"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportArguments:
    """The flags as they were given."""

    nodes: str = ""
    place: bool = False
    earned: Path | None = None
    out: Path | None = None
    listen: str = ""
    every: str = ""
    as_json: bool = False
    quiet: bool = False


def run_export(arguments: ExportArguments) -> None:
    """Write once, or serve until a signal. Leaves with 1 when something could not be asked. Raises UsageError."""
    _check(arguments)
    wish = _wish(arguments)
    if arguments.listen:
        asyncio.run(_serve(arguments, wish))
        return
    with waiting_said():
        seen = asyncio.run(look_once(wish))
    _write(arguments, seen)
    code = export_exit(seen)
    if not arguments.quiet or code is not ExitCode.DONE:
        _say_what_failed(seen)
    if code is not ExitCode.DONE:
        raise typer.Exit(int(code))


def write_generated(text: str, out: Path | None) -> None:
    """Write to a file, or to stdout without one. Raises UsageError."""
    if out is None:
        sys.stdout.write(text)
    else:
        write_atomic(out, text)
        sys.stderr.write(f"wrote {out}\n")


def _check(arguments: ExportArguments) -> None:
    if arguments.listen and (arguments.out or arguments.as_json):
        message = f"--listen serves, {'--out' if arguments.out else '--json'} writes once"
        raise UsageError(message, hint="give one of them")
    if arguments.every and not arguments.listen:
        message = "--every says how often --listen asks, and there is no --listen"
        raise UsageError(message, hint="for a file that is renewed, use a timer: docs/guides/monitoring.md has one")
    if arguments.out is not None:
        if arguments.out.suffix != _PROM and not arguments.as_json:
            message = f"--out {arguments.out} would be read by nobody: node_exporter reads files that end in {_PROM}"
            named = arguments.out.with_suffix(_PROM) if arguments.out.name else f"sparktune{_PROM}"
            raise UsageError(message, hint=f"name it {named}")
        check_writable(arguments.out)


def _wish(arguments: ExportArguments) -> ExportWish:
    path = find_config(Path.cwd())
    config = load_config(path) if path is not None else None
    names = tuple(config.services) if config is not None else ()
    services = tuple(wish_of(DriftArguments(service=name, nodes=arguments.nodes)) for name in names)
    # A service's nodes are those that are named, those of the file, and those that it has parts on.
    found = [one for service in services for one in service.nodes] or targets_of(arguments.nodes, ())
    targets: dict[str, NodeTarget] = {one.name: one for one in found}
    earned = find_earned(Path(), arguments.earned)
    if arguments.earned is not None and not earned.exists():
        message = f"there is no file {earned}"
        raise UsageError(message, hint="it is written by sparktune ab --accept, and by sparktune earned accept RUN")
    return ExportWish(
        targets=tuple(targets.values()),
        services=services,
        earned=earned,
        config=config,
        place=arguments.place,
        endpoint=server_of(ScanArguments()) if arguments.place else "",
    )


def _write(arguments: ExportArguments, seen: Seen) -> None:
    text = export_json(seen) if arguments.as_json else export_text(seen)
    if arguments.out is None:
        sys.stdout.write(text)
        return
    write_atomic(arguments.out, text, public=True)
    if not arguments.quiet:
        values = sum(1 for line in text.splitlines() if not line.startswith("#"))
        said = "" if arguments.as_json else f": {format_count(values)} values"
        sys.stderr.write(f"wrote {arguments.out}{said}\n")


def _say_what_failed(seen: Seen) -> None:
    for note in seen.notes:
        sys.stderr.write(f"note: {note}\n")
    for one in unknowns_of(seen):
        where = f"{one.node}: " if one.node else ""
        sys.stderr.write(f"not known: {where}{one.what}: {one.why}\n")


async def _serve(arguments: ExportArguments, wish: ExportWish) -> None:
    host, port = _address(arguments.listen)
    every_s = seconds_of(arguments.every, "--every") if arguments.every else _EVERY_S
    if every_s < _LEAST_S:
        message = f"--every {arguments.every} would keep the nodes busy with answering"
        raise UsageError(message, hint=f"{_LEAST_S:.0f}s is the shortest; 60s is what it is without --every")

    def say(text: str) -> None:
        sys.stderr.write(f"export: {text}\n")
        sys.stderr.flush()

    server = MetricsServer(host, port, text=export_text(nothing_yet()), content_type=CONTENT_TYPE)
    async with server:
        if not arguments.quiet:
            shown = f"[{host}]" if ":" in host else host
            names = ", ".join(one.name for one in wish.targets)
            say(f"http://{shown}:{server.port}/metrics; asking {names} every {every_s:g} s; stop with Ctrl-C")
            if not _is_local(host):
                say(f"whoever reaches {shown}:{server.port} can read it; it has no password")
        await serve_looks(wish, server, every_s, say=say)


def _address(text: str) -> tuple[str, int]:
    """Return host and port of ``HOST:PORT``, ``[V6]:PORT`` or ``PORT``. Raises UsageError."""
    before, _, port = text.strip().rpartition(":")
    if not (port.isascii() and port.isdigit() and int(port[:6]) <= _LAST_PORT):
        message = f"--listen takes an address and a port, not {text[:60]!r}"
        raise UsageError(message, hint="write it as --listen 9741 or --listen 10.0.0.5:9741")
    return before.strip("[]") or _LOCAL, int(port)


def _is_local(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
