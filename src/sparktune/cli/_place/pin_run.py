"""Put ``sparktune place pin`` together: the scan, the plan, the question, the flow, what became of each thread."""

__all__ = ["PinArguments", "run_pin"]

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import typer

from sparktune.cli._host.ask import agreed, check_can_ask, who
from sparktune.cli._host.progress import host_progress
from sparktune.cli._nodes import each_apart, targets_of
from sparktune.cli._place.scan import ScanArguments, scanned
from sparktune.cli._terminal import fitted
from sparktune.errors import ExitCode, PlanRefused, UsageError
from sparktune.flows.place.pin import PinOutcome, apply_pins, plan_pins_on
from sparktune.host.cpulist import parse_cpulist
from sparktune.io.cluster import NodeTarget
from sparktune.model.pin import PinWish
from sparktune.report.place import pin_json, pin_text
from sparktune.units import count_of


@dataclass(frozen=True, slots=True, kw_only=True)
class PinArguments:
    """The flags as they were given."""

    scan: ScanArguments
    threads: tuple[str, ...] = ()
    process: str = ""
    thread: str = ""
    cpus: str = ""
    once: bool = False
    accept_likely: bool = False
    dry_run: bool = False
    yes: bool = False
    as_json: bool = False


def run_pin(arguments: PinArguments) -> None:
    """Scan, show the plan, ask, carry it out, show what became of it. Raises UsageError and PlanRefused."""
    if not arguments.dry_run:
        check_can_ask(yes=arguments.yes)
    targets = targets_of(arguments.scan.nodes or _nodes_of(arguments.threads), ())
    wish = _wish(arguments, targets)
    each_apart(targets)
    planned = plan_pins_on(targets, scanned(arguments.scan, targets), wish)
    if arguments.dry_run or not planned.pending or planned.against:
        _print(planned, arguments)
        if planned.missing:
            raise PlanRefused(planned.missing, hint="see which ones do: sparktune place scan")
        if planned.against and not arguments.dry_run:
            nodes = ", ".join(planned.against)
            message = f"nothing was changed: {nodes} cannot be changed as asked"
            raise PlanRefused(message, hint="what stands against it is said with the plan")
        _leave(planned)
        return
    shown = fitted(pin_text(planned.nodes, final=False))
    if not arguments.as_json or not (arguments.scan.quiet or arguments.yes):
        (sys.stderr if arguments.as_json else sys.stdout).write(shown)
        sys.stdout.flush()
    if not agreed(_question(planned), yes=arguments.yes):
        sys.stderr.write("nothing was changed\n")
        raise typer.Exit(int(ExitCode.DIFFERENCES))
    with host_progress(quiet=arguments.scan.quiet) as tell:
        done = apply_pins(targets, planned, who=who(), on_progress=tell)
    _print(done, arguments)
    _leave(done)


def _question(planned: PinOutcome) -> str:
    moves = [
        f"{count_of(len(node.pins.pins), 'thread')} on {node.node}"
        for node in planned.nodes
        if node.pins is not None and node.pending
    ]
    return f"Pin {', '.join(moves)}?"


def _print(outcome: PinOutcome, arguments: PinArguments) -> None:
    nodes = arguments.scan.nodes or _nodes_of(arguments.threads)
    where = shlex.join(["--nodes", nodes]) if nodes else ""
    sys.stdout.write(pin_json(outcome.nodes) if arguments.as_json else fitted(pin_text(outcome.nodes, where=where)))
    sys.stdout.flush()


def _leave(outcome: PinOutcome) -> None:
    if outcome.exit_code is ExitCode.INTERRUPTED:
        raise KeyboardInterrupt
    if outcome.exit_code is not ExitCode.DONE:
        raise typer.Exit(int(outcome.exit_code))


def _wish(arguments: PinArguments, targets: Sequence[NodeTarget]) -> PinWish:
    named = bool(arguments.threads or arguments.process or arguments.thread)
    if arguments.threads and (arguments.process or arguments.thread):
        message = "TID names a thread by its number, --process and --thread by what it is"
        raise UsageError(message, hint="give one of both")
    if arguments.accept_likely and not named:
        message = "--accept-likely is your word for threads that you name"
        raise UsageError(message, hint="add TID@NODE, or --process NAME and --thread NAME")
    return PinWish(
        tids=_tids(arguments.threads, [target.name for target in targets]),
        process=arguments.process,
        thread=arguments.thread,
        cpus=_cpus(arguments.cpus),
        once=arguments.once,
        accept_likely=arguments.accept_likely,
    )


def _nodes_of(words: Sequence[str]) -> str:
    """Return the nodes that threads are named with, "" unless all are: then nobody has to name them twice."""
    nodes = [word.partition("@")[2] for word in words]
    return ",".join(dict.fromkeys(nodes)) if all(nodes) else ""


def _tids(words: Sequence[str], nodes: Sequence[str]) -> dict[str, tuple[int, ...]]:
    found: dict[str, tuple[int, ...]] = {}
    for word in words:
        number, at, node = word.partition("@")
        if not (number.isascii() and number.isdecimal()) or (at and not node):
            message = f"{word!r} is no TID or TID@NODE"
            raise UsageError(message, hint="the numbers are those that sparktune place scan tells")
        if not at and len(nodes) > 1:
            message = f"{word} may be on any of {', '.join(nodes)}"
            raise UsageError(message, hint=f"say on which: {word}@{nodes[0]}")
        if at and node not in nodes:
            message = f"{word}: {node} is none of the nodes {', '.join(nodes)}"
            raise UsageError(message, hint="name it with --nodes, too, or leave --nodes out")
        name = node or nodes[0]
        found[name] = (*found.get(name, ()), int(number))
    return found


def _cpus(text: str) -> tuple[int, ...]:
    try:
        cpus = tuple(sorted(parse_cpulist(text)))
    except ValueError as error:
        message = f"--cpus: {error}"
        raise UsageError(message, hint="as in 0-4,10-14") from error
    if text and not cpus:
        message = f"--cpus {text!r} names no CPU"
        raise UsageError(message, hint="as in 0-4,10-14")
    return cpus
