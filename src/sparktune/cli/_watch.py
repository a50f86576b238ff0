"""Put ``sparktune watch`` together: which nodes, the flow, and a screen, lines or JSON for what it sees."""

__all__ = ["run_watch"]

import asyncio
import importlib.util
import os
import shlex
import shutil
import sys
from dataclasses import replace
from typing import Final

import typer

from sparktune.cli._nodes import each_once, targets_of
from sparktune.cli._watch_feeds import WatchArguments, WatchFeeds, check_flags, feeds_of
from sparktune.errors import ExitCode
from sparktune.flows.watch.run import watch
from sparktune.io.extras import EXTRAS
from sparktune.report.watch import WatchedNode, watch_json, watch_lines
from sparktune.report.watch.state import News, updated

_ALL_ROWS: Final = 1000
_WIDE: Final = 200
_EXTRA: Final = f"engine, drift and keys need the extra tui: pip install {shlex.join(EXTRAS['tui'])}"  # a row of 80
_LOCALE: Final = ("LC_ALL", "LC_CTYPE", "LANG")


def run_watch(arguments: WatchArguments, *, as_json: bool) -> None:
    """Watch until the end, q, Ctrl-C, or no node is left. Leaves with 1 when a node did not answer to the end."""
    check_flags(arguments)
    screen = sys.stdout.isatty() and not as_json and os.environ.get("TERM", "dumb") != "dumb"
    if not screen:
        answered = _json_lines(arguments) if as_json else _lines(arguments)
    elif _has_textual() and sys.stdin.isatty() and sys.stderr.isatty():
        answered = _with_keys(arguments)
    else:
        answered = _on_screen(arguments)
    if not answered:
        raise typer.Exit(int(ExitCode.FAILED))


def _has_textual() -> bool:
    return importlib.util.find_spec("textual") is not None


def _hosts_once(feeds: WatchFeeds) -> WatchFeeds:
    return replace(feeds, targets=each_once(feeds.targets))


def _lines(arguments: WatchArguments) -> bool:
    targets = each_once(targets_of(arguments.nodes, arguments.roots))
    return asyncio.run(watch(targets, _write, interval_s=arguments.interval_s, count=arguments.count))


def _json_lines(arguments: WatchArguments) -> bool:
    """Write a line for each look at a node, with what is known of engine, drift and findings by then."""
    feeds = _hosts_once(feeds_of(arguments, again_s=None))
    state = feeds.begin()

    def post(news: News) -> None:
        nonlocal state
        state = updated(state, news)
        node = news.node
        if node is not None and (node.frame is not None or node.failure):
            sys.stdout.write(_shown(watch_json(node, state, news.at_s)))
            sys.stdout.flush()

    return asyncio.run(feeds.run(post))


def _with_keys(arguments: WatchArguments) -> bool:
    # Textual is an extra, and slow to load.
    from sparktune.cli._tui.app import WatchApp

    feeds = _hosts_once(feeds_of(arguments))
    app = WatchApp(feeds.run, feeds.begin(), ring=feeds.bell.ring, ascii_only=_ascii_only())
    answered = app.run(mouse=False)
    if app.error is not None:
        raise app.error
    if app.interrupted:
        raise KeyboardInterrupt
    _tell_failures(tuple(one.node for one in app.state.nodes))
    return bool(answered)


def _on_screen(arguments: WatchArguments) -> bool:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    targets = each_once(targets_of(arguments.nodes, arguments.roots))
    seen = {target.name: WatchedNode(name=target.name) for target in targets}
    note = () if _has_textual() else (_EXTRA,)
    ascii_only = _ascii_only()

    def draw(node: WatchedNode) -> None:
        seen[node.name] = node
        size = shutil.get_terminal_size()
        rows = size.lines - len(note)
        lines = watch_lines(tuple(seen.values()), width=size.columns, rows=rows, ascii_only=ascii_only)
        live.update(Text("\n".join((*map(_shown, lines), *note)), no_wrap=True), refresh=True)

    # The alternate screen gives the terminal back as it was.
    with Live(console=Console(highlight=False), screen=True, auto_refresh=False) as live:
        answered = asyncio.run(watch(targets, draw, interval_s=arguments.interval_s, count=arguments.count))
    _tell_failures(tuple(seen.values()))
    return answered


def _tell_failures(nodes: tuple[WatchedNode, ...]) -> None:
    for node in nodes:
        if node.failure:
            sys.stderr.write(f"{node.failure}\n")


def _write(node: WatchedNode) -> None:
    if node.frame is not None or node.failure:
        lines = watch_lines((node,), width=_WIDE, rows=_ALL_ROWS, ascii_only=_ascii_only())
        sys.stdout.write("\n".join(map(_shown, lines)) + "\n\n")
        sys.stdout.flush()


def _ascii_only() -> bool:
    """Whether bars are drawn in ASCII: where the locale or the stream knows nothing else."""
    named = next((value for name in _LOCALE if (value := os.environ.get(name))), "")
    return not all("utf" in one.lower().replace("-", "") for one in (named, sys.stdout.encoding or ""))


def _shown(text: str) -> str:
    """Return what the stream can write: other letters as escapes, which JSON reads back."""
    encoding = sys.stdout.encoding or "ascii"
    return text.encode(encoding, "backslashreplace").decode(encoding)
