"""Put ``sparktune watch`` together: which nodes, the flow, and a screen, lines or JSON for what it sees."""

__all__ = ["run_watch"]

import asyncio
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import typer
from rich.console import Console
from rich.live import Live
from rich.text import Text

from sparktune.cli._nodes import targets_of
from sparktune.errors import ExitCode
from sparktune.flows.watch import watch
from sparktune.io.cluster import NodeTarget
from sparktune.report.watch import WatchedNode, watch_json, watch_lines
from sparktune.units import Seconds

_ALL_ROWS = 1000
_WIDE = 200


def run_watch(nodes: str, roots: tuple[Path, ...], *, interval_s: Seconds, count: int, as_json: bool) -> None:
    """Watch until the end, Ctrl-C, or no node is left. Leaves with 1 when a node did not answer to the end."""
    targets = targets_of(nodes, roots)
    if as_json or not sys.stdout.isatty():
        answered = asyncio.run(watch(targets, _write_json if as_json else _write, interval_s=interval_s, count=count))
    else:
        answered = _on_screen(targets, interval_s, count)
    if not answered:
        raise typer.Exit(int(ExitCode.FAILED))


def _on_screen(targets: tuple[NodeTarget, ...], interval_s: Seconds, count: int) -> bool:
    seen = {target.name: WatchedNode(name=target.name) for target in targets}
    # The alternate screen gives the terminal back as it was.
    with Live(console=Console(highlight=False), screen=True, auto_refresh=False) as live:
        answered = asyncio.run(watch(targets, _drawing(live, seen), interval_s=interval_s, count=count))
    for node in seen.values():
        if node.failure:
            sys.stderr.write(f"{node.name}: {node.failure}\n")
    return answered


def _drawing(live: Live, seen: dict[str, WatchedNode]) -> Callable[[WatchedNode], None]:
    def draw(node: WatchedNode) -> None:
        seen[node.name] = node
        size = shutil.get_terminal_size()
        lines = watch_lines(tuple(seen.values()), width=size.columns, rows=size.lines)
        live.update(Text("\n".join(lines), no_wrap=True), refresh=True)

    return draw


def _write(node: WatchedNode) -> None:
    if node.frame is not None or node.failure:
        sys.stdout.write("\n".join(watch_lines((node,), width=_WIDE, rows=_ALL_ROWS)) + "\n\n")
        sys.stdout.flush()


def _write_json(node: WatchedNode) -> None:
    if node.frame is not None or node.failure:
        sys.stdout.write(watch_json(node))
        sys.stdout.flush()
