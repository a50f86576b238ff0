"""``sparktune check``: judge results that somebody measured."""

__all__ = ["register"]

from pathlib import Path
from typing import Annotated

import typer

from sparktune.cli._options import Json


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("check", short_help="Judge results that anybody measured: valid, invalid, or not decided.")(check)


def check(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Results of sparktune, llama-benchy or vllm bench; a folder of a sweep; CSV; lists of prompts.",
        ),
    ],
    cold_prefill: Annotated[
        float | None,
        typer.Option("--cold-prefill", metavar="TOK_S", min=1, help="Rate at which this server reads new prompts."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Judge results by the rules of an honest comparison, and say what can be concluded of them.

    Two files are two arms, named by their files; a CSV may hold both in a column "arm". Says which rules void which
    rows, estimates the effect without them, with its interval, and lists what could not be evaluated and why.
    Changes nothing, asks nobody.

    Ends with 0 when the verdict is VALID, 5 when it is INVALID or INCONCLUSIVE, 2 when a file cannot be read.
    """
    from sparktune.cli._check import run_check

    run_check(tuple(files), cold_prefill, as_json=as_json)
