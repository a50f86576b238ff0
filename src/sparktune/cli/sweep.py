"""``sparktune sweep``: find a better configuration among several knobs, with few starts and an honest end."""

__all__ = ["register"]

from pathlib import Path
from typing import Annotated

import typer

from sparktune.cli._complete import sweep_ids
from sparktune.cli._experiment_options import RUN, ExperimentOptions, RestoreOnly, RunGroup
from sparktune.cli._flag_group import with_flags
from sparktune.cli._options import Json, Limit
from sparktune.cli._sweep.flags import SweepFlags

_Sweep = Annotated[
    str,
    typer.Argument(
        metavar="SWEEP", help="Id of the sweep, its beginning, or last, as unless given.", autocompletion=sweep_ids
    ),
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(
        cls=RunGroup,
        no_args_is_help=True,
        help="Search several knobs for a better configuration. `run` may be left out: sparktune sweep FILE.yaml",
    )
    group.command(RUN, short_help="Run a sweep from a file, or from flags.")(with_flags(run))
    group.command("resume", short_help="Go on after an interruption or a crash, or only bring the original back.")(
        with_flags(resume)
    )
    group.command("show", short_help="Show a sweep, computed anew from what was recorded.")(show)
    group.command("report", short_help="Write the page of a sweep, or its pictures.")(report)
    group.command("list", short_help="List the newest sweeps.")(list_sweeps)
    app.add_typer(group, name="sweep")


def run(
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="A sweep in YAML; flags go before what it says.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what is tried, what is left out and why, and what it costs; stop.")
    ] = False,
    *,
    flags: SweepFlags,
    options: ExperimentOptions,
) -> None:
    """Try values of knobs, race the best of them, and confirm the winner against what runs now on fresh blocks.

    What arithmetic and lint rules show is left out before any start. Every configuration is read back live; one that
    does not start or that a guard stops is a result, and is kept with its reason. Only the confirmation decides. In
    the end the original is set again. Ends with 0 for a confirmed winner whose guards hold, 5 for none.
    """
    from sparktune.cli._sweep.run import run_command

    run_command(file, flags, options, dry_run=dry_run)


def resume(
    sweep: _Sweep = "",
    restore_only: RestoreOnly = False,
    study: Annotated[
        str,
        typer.Option("--study", metavar="URL", envvar="SPARKTUNE_STUDY", help="The study to tell what was learned."),
    ] = "",
    *,
    options: ExperimentOptions,
) -> None:
    """Take back what an interrupted or killed sweep left, then go on: no visit that has ended is made again."""
    from sparktune.cli._sweep.run import resume_command

    resume_command(sweep, options, restore_only=restore_only, study=study)


def show(sweep: _Sweep = "", json_output: Json = False) -> None:
    """Show what a sweep came to so far, computed anew from what was recorded; ends as the sweep did."""
    from sparktune.cli._sweep.show import print_sweep

    print_sweep(sweep, as_json=json_output)


def report(
    sweep: _Sweep = "",
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="The page; report-ID.html unless given.")
    ] = None,
    pictures: Annotated[
        Path | None, typer.Option("--pictures", metavar="FOLDER", help="Its pictures as files, into this folder.")
    ] = None,
    form: Annotated[str, typer.Option("--format", help="Of the pictures: svg or png.")] = "svg",
) -> None:
    """Write one page that needs no network: verdict, confirmation, race and screening apart, what did not run and why.

    It also shows throughput against the worst time to the first token, and predictions beside what was measured.
    """
    from sparktune.cli._report import ReportForm, form_named
    from sparktune.cli._sweep.report import report_sweep
    from sparktune.errors import UsageError

    chosen = form_named(form)
    if chosen not in {ReportForm.SVG, ReportForm.PNG}:
        message = f"--format {form} is no form of pictures"
        raise UsageError(message, hint="svg or png; the page is --html FILE")
    report_sweep(sweep, html, pictures, chosen)


def list_sweeps(
    limit: Limit = 20,
    json_output: Json = False,
) -> None:
    """List the newest sweeps."""
    from sparktune.cli._sweep.show import print_list

    print_list(limit, as_json=json_output)
