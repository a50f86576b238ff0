"""``sparktune demo``: see it work, without a GPU and without a server of your own."""

__all__ = ["register"]

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("demo", short_help="Measure a real llama.cpp server on this machine.")(demo)


def demo(
    model: Annotated[
        Path | None,
        typer.Option("--model", metavar="FILE.gguf", help="Serve this model instead of SmolLM2-135M."),
    ] = None,
    save: Annotated[
        list[Path] | None,
        typer.Option("--save", help="Write the result: .md, .json or .csv; may be given several times."),
    ] = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON instead of the table.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no explanation.")] = False,
) -> None:
    """Start a real llama.cpp server with a small model on this machine and measure it with 1, 2 and 4 streams.

    Takes one to two minutes and one processor core. The server listens on this machine only and ends with the demo.
    Nothing is downloaded: `make demo` brings the engine and the model.
    """
    from sparktune.cli import _demo
    from sparktune.cli._output import Output

    _demo.run_command(model, Output.of(json=json_output, save=tuple(save or ())), quiet=quiet)
