"""``sparktune ab``: decide between two settings by an experiment."""

__all__ = ["register"]

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from sparktune.cli._ab.flags import AbFlags
from sparktune.cli._complete import experiment_ids
from sparktune.cli._experiment_options import RUN, ExperimentOptions, RestoreOnly, RunGroup
from sparktune.cli._flag_group import with_flags
from sparktune.cli._options import ApiKey, ClientCores, Json, Limit

_Experiment = Annotated[
    str,
    typer.Argument(
        metavar="RUN",
        help="Id of the experiment, its beginning, or last, as unless given.",
        autocompletion=experiment_ids,
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class _AbOptions(ExperimentOptions):
    """What ``ab`` offers besides."""

    api_key: ApiKey = ""
    allow_reboot: Annotated[
        bool,
        typer.Option("--allow-reboot", help="Boot the machines of arms that count at a boot only, before each visit."),
    ] = False
    client_cores: ClientCores = ""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(
        cls=RunGroup,
        no_args_is_help=True,
        help="Decide between two settings. `run` may be left out: sparktune ab FILE.yaml",
    )
    group.command(RUN, short_help="Run an experiment from a file, or from flags.")(with_flags(run))
    group.command("resume", short_help="Go on after an interruption or a crash, or only bring the original back.")(
        with_flags(resume)
    )
    group.command("show", short_help="Show an experiment, computed anew from what was recorded.")(show)
    group.command("list", short_help="List the newest experiments.")(list_experiments)
    app.add_typer(group, name="ab")


def run(
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="An experiment in YAML; flags go before what it says.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the plan and what it costs, and stop.")] = False,
    *,
    flags: AbFlags,
    options: _AbOptions,
) -> None:
    """Measure two settings in alternating visits, and say which is better, or that it cannot be told.

    Every arm is read back live before it is measured. Looks are after 3, 5 and 8 blocks and nowhere else; in the end
    the original is set again. Ends with 0 for a verdict, 5 for none, 4 when a guard stopped it, and 3 when two ways
    that --equivalence compares are shown to differ.
    """
    from sparktune.cli._ab.run import run_command

    run_command(file, flags, options, dry_run=dry_run)


def resume(
    experiment: _Experiment = "",
    restore_only: RestoreOnly = False,
    *,
    options: _AbOptions,
) -> None:
    """Take back what an interrupted or killed experiment left, then go on with its first unfinished block.

    That block is measured again as a whole; what there was of it stays in the record and counts for nothing.
    """
    from sparktune.cli._ab.run import resume_command

    resume_command(experiment, options, restore_only=restore_only)


def show(
    experiment: _Experiment = "",
    everything: Annotated[bool, typer.Option("--all", help="Every metric, also of those that decide nothing.")] = False,
    json_output: Json = False,
) -> None:
    """Show what an experiment came to, computed anew from what was recorded; ends as the experiment did."""
    from sparktune.cli._ab.show import print_experiment

    print_experiment(experiment, as_json=json_output, whole=everything)


def list_experiments(
    limit: Limit = 20,
    json_output: Json = False,
) -> None:
    """List the newest experiments."""
    from sparktune.cli._ab.show import print_list

    print_list(limit, as_json=json_output)
