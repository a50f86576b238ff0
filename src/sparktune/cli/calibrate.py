"""``sparktune calibrate``: how far this machine's own measurements can be trusted."""

__all__ = ["register"]

import sys
from dataclasses import replace
from typing import Annotated

import typer

from sparktune.cli._options import Concurrency, Quiet
from sparktune.errors import RequestsFailed


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("calibrate", short_help="Measure this machine's own error and cost.")(calibrate)


def calibrate(
    concurrency: Concurrency = "1,8,32,128",
    quick: Annotated[bool, typer.Option("--quick", help="Fewer and shorter waves: about ten seconds.")] = False,
    client_cores: Annotated[
        str,
        typer.Option(
            "--client-cores",
            metavar="keep|efficiency|LIST",
            help="Where the client measures; on efficiency cores, if there are any, as beside a server that is here.",
        ),
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON (schema 1) instead of tables.")] = False,
    quiet: Quiet = False,
) -> None:
    """Measure this machine's own error and cost against a built-in server whose timings are known.

    Shows the errors of arrival stamps, TTFT and rates, the CPU time per 1,000 tokens, and the highest chunk rate before
    an error passes 1 %. Takes half a minute to a minute; nothing leaves this machine.
    """
    from sparktune.bench.cells import check_streams, parse_numbers
    from sparktune.cli._client_cores import local_client_cores
    from sparktune.flows.calibrate import PLAN, QUICK_PLAN
    from sparktune.flows.calibrate import calibrate as run
    from sparktune.report.calibrate import calibration_json, calibration_text, failed_words

    plan = QUICK_PLAN if quick else PLAN
    streams = parse_numbers(concurrency, flag="--concurrency")
    check_streams(streams)
    say = _silent if quiet else _say
    cores = local_client_cores(client_cores, say)
    result = run(replace(plan, concurrency=streams, cores=cores), say)
    sys.stdout.write(calibration_json(result) if as_json else calibration_text(result))
    lost = next((words for point in result.points if (words := failed_words(point))), "")
    if lost:
        message = f"the calibration is not whole: {lost}"
        raise RequestsFailed(message, hint="mend what it says, or ask for fewer streams: --concurrency 1,8")


def _say(line: str) -> None:
    typer.echo(f"calibrating: {line}", err=True)


def _silent(_line: str) -> None:
    pass
