"""``sparktune runs``: what was measured before."""

__all__ = ["register"]

from pathlib import Path
from typing import Annotated

import typer

from sparktune.cli._complete import measured_ids, run_ids
from sparktune.cli._options import Json, Limit

_RUN = Annotated[
    str,
    typer.Argument(help="Id of the run, its beginning, or last, as unless given.", autocompletion=run_ids),
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(no_args_is_help=True, help="List, show and export what was measured before.")
    group.command("list")(list_runs)
    group.command("show")(show_run)
    group.command("export")(export_run)
    group.command("report")(report_run)
    app.add_typer(group, name="runs")


def list_runs(
    limit: Limit = 20,
    visits: Annotated[
        bool, typer.Option("--visits", help="Also the visits of experiments and sweeps; JSON always has them.")
    ] = False,
    as_json: Json = False,
) -> None:
    """List the newest runs."""
    from sparktune.cli._runs import print_list

    print_list(limit, visits=visits, as_json=as_json)


def show_run(
    run: _RUN = "",
    as_json: Json = False,
) -> None:
    """Show a run's result, computed anew from what was recorded.

    Ends as the measurement did: 0, 1 when requests failed, 5 when a cell is not valid.
    """
    from sparktune.cli._runs import print_run

    print_run(run, as_json=as_json)


def export_run(
    run: _RUN = "",
    save: Annotated[
        Path | None,
        typer.Option("--save", help="File to write: .md, .json or .csv; JSON goes to stdout without it."),
    ] = None,
    benchy: Annotated[bool, typer.Option("--benchy", help="In the shape of llama-benchy's .json or .csv.")] = False,
    raw: Annotated[
        bool, typer.Option("--raw", help="Every request as a JSON line: bytes, reads and their instants.")
    ] = False,
) -> None:
    """Write a run's result, or all that was recorded of it, to a file."""
    from sparktune.cli._runs import write_run

    write_run(run, save, benchy=benchy, raw=raw)


def report_run(
    run: Annotated[
        str,
        typer.Argument(
            help="Id of an experiment or a run, its beginning, or last, as unless given.", autocompletion=measured_ids
        ),
    ] = "",
    form: Annotated[
        str, typer.Option("--format", help="html: one page; markdown: to paste; svg or png: the pictures.")
    ] = "html",
    out: Annotated[
        Path | None, typer.Option("--out", help="File for html and markdown, folder for svg and png.")
    ] = None,
) -> None:
    """Make a page that needs no network, pictures, or a block to paste.

    A page goes to report-ID.html, pictures to the folder report-ID, Markdown to stdout, unless --out says where.
    """
    from sparktune.cli._report import form_named, write_report

    write_report(run, form_named(form), out)
