"""``sparktune record``: write down the shape of real traffic while it passes."""

__all__ = ["register"]

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("record", short_help="Write down the shape of real traffic, to replay it.")(record)


def record(
    listen: Annotated[
        str, typer.Option("--listen", metavar="PORT", help="Where clients connect instead of to the server.")
    ],
    to: Annotated[str, typer.Option("--to", metavar="URL", help="The server that everything is passed on to.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="A new file; else traffic-DATE-TIME.jsonl in this folder."),
    ] = None,
    host: Annotated[
        str | None,
        typer.Option(
            "--host",
            metavar="ADDRESS",
            help="Listen on this address: whoever reaches it reaches the server. Else 127.0.0.1, this machine alone.",
        ),
    ] = None,
    duration: Annotated[
        str, typer.Option("--for", metavar="TIME", help="Stop after 30m, 2h ...; else on Ctrl-C or SIGTERM.")
    ] = "",
    with_text: Annotated[
        bool, typer.Option("--with-text", help="Write the requests themselves into the file, too: all that was said.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON (schema 1).")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing while nothing is wrong.")] = False,
) -> None:
    """Pass requests on to a server untouched, and write when they came, how long they were and what they shared.

    No text is written, and no key. `sparktune bench URL --workload FILE` sends the same shape again.
    """
    from sparktune.cli._record import RecordArguments, run_record

    run_record(
        RecordArguments(
            listen=listen,
            to=to,
            out=out,
            host=host,
            duration=duration,
            with_text=with_text,
            as_json=as_json,
            quiet=quiet,
        )
    )
