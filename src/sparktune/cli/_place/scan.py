"""Put ``sparktune place scan`` together: which nodes and server, the flow, and what is printed of it."""

__all__ = ["ScanArguments", "run_scan", "server_of"]

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from sparktune.bench.slo import parse_seconds
from sparktune.cli._host.progress import host_progress
from sparktune.cli._nodes import each_once, targets_of
from sparktune.cli._terminal import fitted
from sparktune.errors import UsageError
from sparktune.flows.place.files import scan_files
from sparktune.flows.place.scan import PlaceScan, scan_nodes
from sparktune.io.cluster import NodeTarget
from sparktune.io.config import CONFIG_NAME, find_config, load_config
from sparktune.report.place import scan_json, scan_text
from sparktune.units import Seconds

_SHORTEST_S: Seconds = 0.2
_LONGEST_S: Seconds = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanArguments:
    """The flags as they were given."""

    nodes: str = ""
    windows: int = 5
    window: str = "2s"
    endpoint: str = ""
    service: str = ""
    top: tuple[Path, ...] = ()
    as_json: bool = False
    quiet: bool = False


def run_scan(arguments: ScanArguments) -> None:
    """Scan and print. Leaves with the scan's exit code. Raises UsageError for flags that do not fit."""
    found = _found(arguments)
    sys.stdout.write(scan_json(found.nodes) if arguments.as_json else fitted(scan_text(found.nodes)))
    if found.exit_code:
        raise typer.Exit(int(found.exit_code))


def _found(arguments: ScanArguments) -> PlaceScan:
    if arguments.top:
        if arguments.nodes:
            message = "--top and --nodes are two ways to say what is looked at"
            raise UsageError(message, hint="give one of them")
        return scan_files(arguments.top)
    return scanned(arguments, each_once(targets_of(arguments.nodes, ())))


def scanned(arguments: ScanArguments, targets: Sequence[NodeTarget]) -> PlaceScan:
    """Scan these nodes. Raises UsageError for flags that do not fit."""
    window_s = parse_seconds(arguments.window, name="--window")
    if not _SHORTEST_S <= window_s <= _LONGEST_S:
        message = f"--window {arguments.window} is not between {_SHORTEST_S:g} and {_LONGEST_S:g} s"
        raise UsageError(message, hint="2s tells threads apart well")
    endpoint = server_of(arguments)
    with host_progress(quiet=arguments.quiet) as tell:
        return scan_nodes(targets, windows=arguments.windows, window_s=window_s, endpoint=endpoint, say=tell)


def server_of(arguments: ScanArguments) -> str:
    """Return the server to ask; the only or default service of the file where none is named, "" without one.

    Raises UsageError.
    """
    if arguments.endpoint:
        return arguments.endpoint
    path = find_config(Path.cwd())
    if path is None:
        if arguments.service:
            message = f"{arguments.service!r} is to be looked up, and no {CONFIG_NAME} is in this folder or above it"
            raise UsageError(message, hint="write one with: sparktune init; or name the server with --endpoint URL")
        return ""
    config = load_config(path)
    if arguments.service or config.default_service or len(config.services) == 1:
        return config.service(arguments.service or None).endpoint
    return ""
