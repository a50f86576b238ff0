"""``sparktune knobs``: what is known of each setting."""

__all__ = ["register"]

from typing import Annotated

import typer

from sparktune.cli._complete import knob_names
from sparktune.cli._options import Json


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(no_args_is_help=True, help="Look settings up: where they are set, and what they touch.")
    group.command("list", short_help="List the settings that are known.")(list_knobs)
    as_written = {"ignore_unknown_options": True}  # --max-num-seqs is a name here
    group.command("show", short_help="Show all that is known of one.", context_settings=as_written)(show)
    app.add_typer(group, name="knobs")


def list_knobs(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[WORD...]", help="Only those in whose names or texts all of these are."),
    ] = None,
    engine: Annotated[str, typer.Option("--engine", help="Only those of an engine: vllm, llamacpp, sglang.")] = "",
    json_output: Json = False,
) -> None:
    """List the settings that are known, all or some."""
    from sparktune.cli._terminal import columns
    from sparktune.deploy.knob_names import matching
    from sparktune.deploy.knobs import all_knobs
    from sparktune.report.knobs import knobs_json, knobs_text

    found = matching(all_knobs(), tuple(words or ()), engine)
    typer.echo(knobs_json(found) if json_output else knobs_text(found, columns()), nl=False)


def show(
    name: Annotated[
        str,
        typer.Argument(help="Its name, or any way in which it is written: --max-num-seqs.", autocompletion=knob_names),
    ],
    json_output: Json = False,
) -> None:
    """Show all that is known of a setting."""
    from sparktune.cli._terminal import columns
    from sparktune.deploy.knob_names import knob_named, nearest
    from sparktune.deploy.knobs import all_knobs
    from sparktune.errors import UsageError
    from sparktune.report.knobs import knob_json, knob_text

    knob = knob_named(all_knobs(), name)
    if knob is None:
        near = nearest(all_knobs(), name)
        message = f"no knob is called {name!r}"
        raise UsageError(message, hint=f"did you mean {', '.join(near)}?" if near else "all: sparktune knobs list")
    typer.echo(knob_json(knob) if json_output else knob_text(knob, columns()), nl=False)
