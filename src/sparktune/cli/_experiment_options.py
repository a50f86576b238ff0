"""Options that ``sparktune ab`` and ``sparktune sweep`` have in common: one experiment decides in both."""

__all__ = [
    "EARNED",
    "RUN",
    "ApiKeyFile",
    "Concurrency",
    "Corpus",
    "Earned",
    "Json",
    "Limit",
    "Margin",
    "Model",
    "Nodes",
    "OutputTokens",
    "Primary",
    "PromptTokens",
    "Quiet",
    "RestoreOnly",
    "RunGroup",
    "Service",
    "StopEngine",
    "Tail",
    "Trials",
    "Url",
    "Warmup",
    "Workload",
    "Yes",
]

from pathlib import Path
from typing import Annotated, Any, Final

import typer
from typer.core import TyperGroup

RUN: Final = "run"
EARNED: Final = Path("earned.yaml")
Json = Annotated[bool, typer.Option("--json", help="Print JSON (schema 1).")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask: start, and go on where it looks hopeless.")]
ApiKeyFile = Annotated[Path | None, typer.Option("--api-key-file", help="A file that holds the API key alone.")]
Corpus = Annotated[Path | None, typer.Option("--corpus", help="A text file for prompts, instead of Python's own.")]
Earned = Annotated[Path, typer.Option("--earned", metavar="FILE", help="Where settings that won are kept.")]
Limit = Annotated[int, typer.Option("--limit", min=1, help="How many, newest first.")]
RestoreOnly = Annotated[
    bool, typer.Option("--restore-only", help="Bring the original back, see that it is live, and measure nothing.")
]
Url = Annotated[str, typer.Option("--url", help="Address of the server, for instance http://HOST:8000/v1")]
Service = Annotated[str, typer.Option("--service", help="A service of sparktune.yaml.")]
Model = Annotated[str, typer.Option("--model", help="The model; needed when the server serves several.")]
Workload = Annotated[str, typer.Option("--workload", help="A workload of sparktune.yaml.")]
PromptTokens = Annotated[
    str, typer.Option("--prompt-tokens", "--pp", metavar="N,N..", help="Prompt lengths; 512 unless given.")
]
OutputTokens = Annotated[
    str, typer.Option("--output-tokens", "--tg", metavar="N,N..", help="Output lengths; 128 unless given.")
]
Concurrency = Annotated[str, typer.Option("--concurrency", metavar="N,N..", help="Simultaneous streams.")]
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
Nodes = Annotated[
    str, typer.Option("--nodes", metavar="A,B", help="The machines behind the server; guards watch them.")
]
StopEngine = Annotated[
    bool, typer.Option("--stop-engine", help="End the engine at once when a guard stops, to save its host.")
]
Tail = Annotated[
    float | None,
    typer.Option("--tail", min=0, metavar="SECONDS", help="Watch on after each visit, with nothing sent; 60."),
]


class RunGroup(TyperGroup):
    """Lets ``run`` be left out: ``sparktune ab FILE.yaml``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - what typer calls its context
        """Put ``run`` in front of what is no command."""
        if args and args[0] not in {*self.commands, "--help", "-h"}:
            args = [RUN, *args]
        return super().parse_args(ctx, args)
