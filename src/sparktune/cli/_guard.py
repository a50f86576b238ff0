"""Put ``sparktune guard`` together: limits of flags and file, the flow, and how it ends.

What only some options need is imported where it is used: starting is most of what a guard of a minute costs.
"""

__all__ = ["GuardArguments", "run_guard"]

import asyncio
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from sparktune.cli._nodes import each_once, targets_of
from sparktune.cli._terminal import fitted
from sparktune.errors import GuardStopped, Interrupted, UsageError
from sparktune.flows.guard import GuardOrder, guard
from sparktune.io.config import find_config, load_config
from sparktune.model.guard import Limits, Phase
from sparktune.report.guard import GuardReport, guard_json, guard_lines
from sparktune.units import Seconds

if TYPE_CHECKING:
    from sparktune.io.guarded.engine import Engine
    from sparktune.io.http.address import Address

_PHASES = {phase.value: phase for phase in (Phase.LOAD, Phase.STARTING)}
_BY_SIGNAL = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardArguments:
    """The command line as it was written; ``limits`` those that were."""

    command: tuple[str, ...]
    nodes: str
    limits: Mapping[str, str]
    stop_engine: str | None
    endpoint: str | None
    phase: str
    grace_s: Seconds
    lost_node: str
    as_json: bool
    quiet: bool


def run_guard(arguments: GuardArguments) -> None:
    """Guard, print what came of it, and leave with the command's exit code or as a stop."""
    order = _order(arguments)

    def warn(text: str) -> None:
        sys.stderr.write(f"guard: {text}\n")
        sys.stderr.flush()

    def say(text: str) -> None:
        if not arguments.quiet:
            warn(text)

    report = asyncio.run(guard(order, say, warn))
    if arguments.as_json:
        sys.stdout.write(guard_json(report))
    elif not (arguments.quiet and report.trip is None):
        # With a command, stdout is its own.
        stream = sys.stderr if order.command else sys.stdout
        stream.write(fitted("".join(f"{line}\n" for line in guard_lines(report)), stream))
    sys.stdout.flush()
    _leave(report)


def _leave(report: GuardReport) -> NoReturn:
    trip = report.trip
    if trip is not None:
        where = f" on {trip.node}" if trip.node else ""
        ended = "nothing was started" if report.command and report.stopped and report.stopped.command_s is None else ""
        message = f"{trip.guard}{where}: {trip.evidence}" + (f"; {ended}" if ended else "")
        raise GuardStopped(message, hint=trip.hint)
    if report.code is not None:
        raise typer.Exit(report.code if report.code >= 0 else _BY_SIGNAL - report.code)
    message = "the watch was ended"
    raise Interrupted(message)


def _order(arguments: GuardArguments) -> GuardOrder:
    if arguments.phase not in _PHASES:
        message = f"--phase {arguments.phase!r} is none of {', '.join(_PHASES)}"
        raise UsageError(message, hint="starting while an engine starts, load for everything else")
    if arguments.lost_node not in {"say", "stop"}:
        message = f"--lost-node {arguments.lost_node!r} is neither say nor stop"
        raise UsageError(message, hint="say goes on without that node, stop ends the command")
    return GuardOrder(
        targets=each_once(targets_of(arguments.nodes, ())),
        limits=_limits(arguments.limits),
        command=arguments.command,
        environment=os.environ,
        engine=None if arguments.stop_engine is None else _engine(arguments.stop_engine),
        endpoint=None if arguments.endpoint is None else _address(arguments.endpoint),
        phase=_PHASES[arguments.phase],
        grace_s=arguments.grace_s,
        stop_when_lost=arguments.lost_node == "stop",
        to_stderr=arguments.as_json,
    )


def _limits(flags: Mapping[str, str]) -> Limits:
    """Return the limits of ``guard:`` in sparktune.yaml, and over them those of flags. Raises UsageError."""
    path = find_config(Path.cwd())
    written = load_config(path).guard if path is not None else {}
    limits = {**written, **{name: _value(text) for name, text in flags.items()}}
    if not limits:
        return Limits()
    from sparktune.io.experiment_guard import protection_of

    return protection_of(limits, _fault).limits


def _engine(text: str) -> "Engine":
    from sparktune.io.guarded.engine import find_engine

    return find_engine(text)


def _address(text: str) -> "Address":
    from sparktune.io.http.address import parse_address

    return parse_address(text)


def _value(text: str) -> int | float | str:
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


def _fault(where: tuple[Any, ...], message: str, hint: str) -> UsageError:
    flag = str(where[-1]).replace("_", "-")
    return UsageError(f"--{flag}: {message}", hint=hint)
