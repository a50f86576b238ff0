"""``sparktune status``: where things stand, in ten lines; ``sparktune`` alone says the same."""

__all__ = ["register", "status"]

from typing import Annotated

import typer

from sparktune.cli._options import Json


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(short_help="Say where things stand, and what to do next.")(status)


def status(
    within: Annotated[
        str, typer.Option("--within", metavar="TIME", help="How long anything may take to answer.")
    ] = "2s",
    json_output: Json = False,
) -> None:
    """Say where things stand: nodes, service, last verdicts, drift, what was earned, and what to do next.

    One quick look at all of it at once; nothing is changed, and what is slow is said to be so. sparktune without a
    command does the same. Ends with 0 whatever it finds: drift and doctor have codes to act on.
    """
    import sys
    from pathlib import Path

    from sparktune.io.config import find_config, load_config

    path = find_config(Path.cwd())
    if path is not None:
        from sparktune.cli._drift import seconds_of
        from sparktune.cli._status import print_page

        print_page(load_config(path), seconds_of(within, "--within"), as_json=json_output)
        return
    from sparktune.report.status.json import outside_json
    from sparktune.report.status.text import outside_text

    sys.stdout.write(outside_json() if json_output else outside_text())
