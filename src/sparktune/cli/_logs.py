"""Put ``sparktune logs`` together: which logs, whose clocks, the report, the exit code."""

__all__ = ["LogsArguments", "run_logs"]

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import typer

from sparktune.cli._terminal import colour_wanted, columns
from sparktune.errors import ExitCode, UsageError
from sparktune.flows.logs import LogsAnswer, read_logs
from sparktune.io.log_folders import is_there
from sparktune.report.bench.words import one_line
from sparktune.report.logs.json import logs_json
from sparktune.report.logs.text import logs_text
from sparktune.units import Bytes, Seconds, format_bytes

_NAMED: Final = re.compile(r"(?P<node>[A-Za-z0-9][A-Za-z0-9_.@-]*)=(?P<file>.+)", re.DOTALL)
_AHEAD: Final = re.compile(r"(?P<node>[^=]+)=(?P<value>[+-]?\d+(?:\.\d+)?)\s*(?P<unit>ms|s|min|h|)")
_UNITS: Final = {"ms": 1e-3, "": 1.0, "s": 1.0, "min": 60.0, "h": 3600.0}
_LARGE: Final[Bytes] = 16 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class LogsArguments:
    """The command line as it was typed."""

    files: tuple[str, ...]
    live: bool
    nodes: str
    service: str
    tail: int
    ahead: tuple[str, ...]
    rotated: bool
    facts_only: bool
    everything: bool
    as_json: bool
    quiet: bool


def run_logs(arguments: LogsArguments) -> None:
    """Print the report and leave with its exit code. Raises UsageError."""
    _check(arguments)
    answer = _answer(arguments)
    for text in answer.missing:
        sys.stderr.write(f"not read: {one_line(text)}\n")
    for log in answer.report.view.logs:
        if log.unreadable:
            sys.stderr.write(f"{one_line(log.file)}: {one_line(log.unreadable)}\n")
    if arguments.as_json:
        sys.stdout.write(logs_json(answer.report, answer.missing, answer.notes))
    else:
        text = logs_text(
            answer.report, answer.notes, facts_only=arguments.facts_only, everything=arguments.everything,
            quiet=arguments.quiet, width=columns(), color=colour_wanted(),
        )  # fmt: skip
        sys.stdout.write(text)
    if answer.exit_code is not ExitCode.DONE:
        raise typer.Exit(int(answer.exit_code))


def _answer(arguments: LogsArguments) -> LogsAnswer:
    ahead = _all_ahead(arguments.ahead)
    if arguments.live:
        from sparktune.cli._logs_live import read_live

        return read_live(arguments.nodes, arguments.service, arguments.tail, ahead)
    return read_logs([_named(text) for text in arguments.files], ahead, _tell, rotated=arguments.rotated)


def _check(arguments: LogsArguments) -> None:
    if arguments.live and arguments.files:
        message = "--live reads the logs of nodes, and files are named too"
        raise UsageError(message, hint="give one of them")
    if arguments.live and arguments.rotated:
        message = "--rotated is about files, and --live reads the logs of nodes"
        raise UsageError(message, hint="leave --rotated out; --tail says how much is read of each log")
    if not arguments.live and (arguments.nodes or arguments.service):
        message = "--nodes and --service say what --live reads"
        raise UsageError(message, hint="add --live, or name files: spark1=head.log spark2=worker.log")
    if not arguments.live and not arguments.files:
        message = "no log is named"
        raise UsageError(message, hint="name files: sparktune logs head.log worker.log; or read nodes with --live")


def _named(text: str) -> tuple[str, str]:
    """Return node and file; a path that is there is a path, whatever signs it has."""
    found = _NAMED.fullmatch(text)
    if found is None or is_there(text):
        return "", text
    return found["node"], found["file"]


def _all_ahead(texts: Sequence[str]) -> dict[str, Seconds]:
    found: dict[str, Seconds] = {}
    for node, ahead_s in map(_ahead, texts):
        if found.setdefault(node, ahead_s) != ahead_s:
            message = f"--ahead says two times of {node}"
            raise UsageError(message, hint="give one time for each node")
    return found


def _ahead(text: str) -> tuple[str, Seconds]:
    found = _AHEAD.fullmatch(text)
    if found is None:
        message = f"--ahead {text!r} is no node with a time"
        raise UsageError(message, hint="write --ahead spark2=40s where the clock of spark2 is 40 s ahead")
    return found["node"], float(found["value"]) * _UNITS[found["unit"]]


def _tell(name: str) -> None:
    try:
        size = Path(name).stat().st_size if name != "-" else 0
    except OSError:
        return
    if size >= _LARGE:
        sys.stderr.write(f"reading {one_line(name)} ({format_bytes(size)}) ...\n")
