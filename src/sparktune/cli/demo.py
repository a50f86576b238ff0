"""``sparktune demo``: see it decide, without a GPU and without a server of your own."""

__all__ = ["register"]

from pathlib import Path
from typing import Annotated

import typer

from sparktune.cli._options import Json


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("demo", short_help="Decide a real A/B with llama.cpp on this machine.")(demo)


def demo(
    model: Annotated[
        Path | None,
        typer.Option("--model", metavar="FILE.gguf", help="Serve this model instead of SmolLM2-135M."),
    ] = None,
    bench: Annotated[
        bool, typer.Option("--bench", help="Measure one server with 1, 2 and 4 streams instead; nothing is compared.")
    ] = False,
    save: Annotated[
        list[Path] | None,
        typer.Option("--save", help="With --bench: write the result to .md, .json or .csv; may be repeated."),
    ] = None,
    json_output: Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no explanation.")] = False,
) -> None:
    """Let two agents use a real llama.cpp server of one slot, and of four: which is better for the one that waits?

    A true experiment of `sparktune ab`, of 3 to 5 blocks: one to five minutes and one processor core. The servers
    listen on this machine only and end with the demo. Nothing is downloaded: `make demo` brings the engine and the
    model. Ends with 0 for a verdict and with 5 for none, as when the machine is too busy.
    """
    from sparktune.cli import _demo
    from sparktune.cli._demo import DemoOptions

    _demo.run_command(
        DemoOptions(model=model, bench=bench, save=tuple(save or ()), json=json_output, quiet=quiet),
    )
