"""Options that ``sparktune ab`` and ``sparktune sweep`` have in common: one experiment decides in both."""

__all__ = [
    "RUN",
    "ExperimentOptions",
    "Margin",
    "NodesBehind",
    "Primary",
    "RestoreOnly",
    "RunGroup",
    "StopEngine",
    "Tail",
    "Trials",
    "Url",
    "Warmup",
    "Workload",
]

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from typer.core import TyperGroup

from sparktune.cli._complete import node_names, workload_names
from sparktune.cli._options import ApiKeyFile, Json, Quiet

RUN: Final = "run"
RestoreOnly = Annotated[
    bool, typer.Option("--restore-only", help="Bring the original back, see that it is live, and measure nothing.")
]
Url = Annotated[str, typer.Option("--url", help="Address of the server, for instance http://HOST:8000/v1")]
Workload = Annotated[
    str, typer.Option("--workload", help="A workload of sparktune.yaml.", autocompletion=workload_names)
]
Trials = Annotated[
    int | None, typer.Option("--trials", min=1, max=1000, help="Waves per cell and visit; 3 unless given.")
]
Warmup = Annotated[str, typer.Option("--warmup", metavar="auto|N|off", help="Waves before measuring, in every visit.")]
Primary = Annotated[
    str, typer.Option("--primary", metavar="METRIC", help="The number that decides; output_tok_s unless given.")
]
Margin = Annotated[
    float | None, typer.Option("--margin", help="Smallest effect worth having: 0.03 for rates, 0.05 for times.")
]
NodesBehind = Annotated[
    str,
    typer.Option(
        "--nodes",
        metavar="A,B",
        help="The machines behind the server; guards watch them.",
        autocompletion=node_names,
    ),
]
StopEngine = Annotated[
    bool, typer.Option("--stop-engine", help="End the engine at once when a guard stops, to save its host.")
]
Tail = Annotated[
    float | None,
    typer.Option("--tail", min=0, metavar="SECONDS", help="Watch on after each visit, with nothing sent; 60."),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentOptions:
    """How an experiment is carried out; nothing of it changes what is measured.

    A field without an option is one that not every command offers: it keeps its default there.
    """

    accept: Annotated[
        bool, typer.Option("--accept", help="Set the winner in the end, and write earned.yaml, without asking.")
    ] = False
    earned: Annotated[Path, typer.Option("--earned", metavar="FILE", help="Where settings that won are kept.")] = Path(
        "earned.yaml"
    )
    corpus: Annotated[
        Path | None, typer.Option("--corpus", help="A text file for prompts, instead of Python's own.")
    ] = None
    api_key: str = ""
    api_key_file: ApiKeyFile = None
    allow_reboot: bool = False
    client_cores: str = ""
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask: start, and go on where it looks hopeless.")] = False
    json: Json = False
    quiet: Quiet = False


class RunGroup(TyperGroup):
    """Lets ``run`` be left out: ``sparktune ab FILE.yaml``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - what typer calls its context
        """Put ``run`` in front of what is no command."""
        if args and args[0] not in {*self.commands, "--help", "-h"}:
            args = [RUN, *args]
        return super().parse_args(ctx, args)
