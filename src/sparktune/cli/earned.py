"""``sparktune earned``: the settings that experiments earned."""

__all__ = ["register"]

from pathlib import Path
from typing import Annotated

import typer

from sparktune.cli._complete import experiment_ids
from sparktune.cli._options import Json, Yes

_File = Annotated[
    Path | None,
    typer.Option("--earned", metavar="FILE", help="The file; earned.yaml here or beside sparktune.yaml unless given."),
]
_MaxAge = Annotated[
    float | None, typer.Option("--max-age", min=0, metavar="DAYS", help="Evidence older than this is stale.")
]
_Live = Annotated[bool, typer.Option("--live", help="Look which image the service runs now, on every node.")]
_Key = Annotated[str, typer.Argument(metavar="KEY", help="The setting by any of its names, or the run that earned it.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(no_args_is_help=True, help="Look after settings that experiments earned.")
    group.command("list", short_help="List what was earned, and whether its evidence still holds.")(list_earned)
    named = {"ignore_unknown_options": True}  # a setting may be called --max-num-seqs
    group.command("show", context_settings=named, short_help="Show all that is known of one.")(show)
    group.command("accept", short_help="Keep what an experiment earned, after it has ended.")(accept)
    group.command("forget", context_settings=named, short_help="Let one count no more; it stays in the history.")(
        forget
    )
    group.command("history", context_settings=named, short_help="Show what was earned once, and what was measured.")(
        history
    )
    app.add_typer(group, name="earned")


def list_earned(earned: _File = None, max_age: _MaxAge = None, live: _Live = False, json_output: Json = False) -> None:
    """List the settings that were earned, with their effect, and whether the evidence is of what runs.

    It is compared with what sparktune.yaml says of the service, and with --live with the image that it runs. What
    cannot be compared is unknown, never current.
    """
    from sparktune.cli._earned import print_list

    print_list(earned, max_age, live=live, as_json=json_output)


def show(
    key: _Key, earned: _File = None, max_age: _MaxAge = None, live: _Live = False, json_output: Json = False
) -> None:
    """Show a setting with all its evidence, what is known of it from others, and the command to measure it again."""
    from sparktune.cli._earned import print_one

    print_one(key, earned, max_age, live=live, as_json=json_output)


def accept(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN", help="Id of an experiment, its beginning, or last.", autocompletion=experiment_ids
        ),
    ],
    earned: _File = None,
) -> None:
    """Write what an experiment of the store earned, as ab --accept would have; nothing on any machine is changed.

    Ends with 5 and the reason for one that did not improve, or whose guards were not shown to hold.
    """
    from sparktune.cli._earned import accept_run

    accept_run(run, earned)


def forget(
    key: _Key,
    earned: _File = None,
    yes: Yes = False,
) -> None:
    """Move a setting to the history of its file; nothing on any machine is changed."""
    from sparktune.cli._earned import forget_one

    forget_one(key, earned, yes=yes)


def history(
    key: Annotated[str, typer.Argument(metavar="[KEY]", help="One setting; all unless given.")] = "",
    earned: _File = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many experiments to look at, newest first.")] = 200,
    json_output: Json = False,
) -> None:
    """Show settings that were superseded or forgotten, and experiments, with those that were never accepted."""
    from sparktune.cli._earned import print_history

    print_history(key, earned, limit, as_json=json_output)
