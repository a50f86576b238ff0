"""The flags of ``sparktune ab``, and what it and ``sparktune sweep`` have in common on the command line."""

__all__ = [
    "EARNED",
    "RUN",
    "AbFlags",
    "ApiKeyFile",
    "Corpus",
    "Earned",
    "Json",
    "Limit",
    "Quiet",
    "RestoreOnly",
    "RunGroup",
    "Yes",
]

from dataclasses import dataclass
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


class RunGroup(TyperGroup):
    """Lets ``run`` be left out: ``sparktune ab FILE.yaml``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - what typer calls its context
        """Put ``run`` in front of what is no command."""
        if args and args[0] not in {*self.commands, "--help", "-h"}:
            args = [RUN, *args]
        return super().parse_args(ctx, args)


@dataclass(frozen=True, slots=True, kw_only=True)
class AbFlags:
    """What describes the experiment; "" and None are "not given"."""

    url: Annotated[str, typer.Option("--url", help="Address of the server, for instance http://HOST:8000/v1")] = ""
    service: Annotated[str, typer.Option("--service", help="A service of sparktune.yaml.")] = ""
    model: Annotated[str, typer.Option("--model", help="The model; needed when the server serves several.")] = ""
    launcher: Annotated[
        str,
        typer.Option(
            "--launcher",
            metavar="NAME",
            help="How the arms are set: command, attach, hot, compose, systemd, sparkrun or script.",
        ),
    ] = ""
    a: Annotated[
        str,
        typer.Option(
            "--a",
            metavar="ARM",
            help="Arm A, what runs now: its command, with attach what to do, for a service env:NAME=1 flag:--x=8.",
        ),
    ] = ""
    b: Annotated[str, typer.Option("--b", metavar="ARM", help="Arm B, the candidate.")] = ""
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where",
            metavar="PART",
            help="Part of a service, in the order of its start: NODE:FILE:SERVICE (compose), NODE:UNIT (systemd), "
            "NODE:RECIPE[:CLUSTER] (sparkrun); may be repeated.",
        ),
    ] = None
    live_http: Annotated[
        list[str] | None,
        typer.Option(
            "--live-http",
            metavar="PATH:KEYS=A,B",
            help="What the server says of the setting in each arm: /props:total_slots=1,4; may be repeated.",
        ),
    ] = None
    knob: Annotated[str, typer.Option("--knob", help="What differs, as people call it.")] = ""
    aa: Annotated[bool, typer.Option("--aa", help="Measure arm A twice: how large the noise is, and where.")] = False
    equivalence: Annotated[
        bool,
        typer.Option("--equivalence", help="A and B are two ways to run the same: show that they are, or differ."),
    ] = False
    quality: Annotated[
        bool, typer.Option("--quality", help="Ask tool calls and a canary after each visit's trials, as guards.")
    ] = False
    prompt_tokens: Annotated[
        str, typer.Option("--prompt-tokens", "--pp", metavar="N,N..", help="Prompt lengths; 512 unless given.")
    ] = ""
    output_tokens: Annotated[
        str, typer.Option("--output-tokens", "--tg", metavar="N,N..", help="Output lengths; 128 unless given.")
    ] = ""
    depth: Annotated[str, typer.Option("--depth", metavar="N,N..", help="Tokens of cached context.")] = ""
    concurrency: Annotated[str, typer.Option("--concurrency", metavar="N,N..", help="Simultaneous streams.")] = ""
    stagger: Annotated[
        str, typer.Option("--stagger", metavar="TIME", help="Start stream after stream this far apart.")
    ] = ""
    arrival_rate: Annotated[
        float | None, typer.Option("--arrival-rate", metavar="N", help="Start streams at random, N per second.")
    ] = None
    household: Annotated[
        float | None, typer.Option("--household", metavar="SCALE", help="Two agents, as in bench --household.")
    ] = None
    prompts: Annotated[
        Path | None, typer.Option("--prompts", metavar="FILE", help="Your own prompts, as in bench --prompts.")
    ] = None
    nonce: Annotated[bool, typer.Option("--nonce", help="Put new words in front of each own prompt.")] = False
    workload: Annotated[str, typer.Option("--workload", help="A workload of sparktune.yaml.")] = ""
    trials: Annotated[
        int | None, typer.Option("--trials", min=1, max=1000, help="Waves per cell and visit; 3 unless given.")
    ] = None
    warmup: Annotated[
        str, typer.Option("--warmup", metavar="auto|N|off", help="Waves before measuring, in every visit.")
    ] = ""
    primary: Annotated[
        str, typer.Option("--primary", metavar="METRIC", help="The number that decides; output_tok_s unless given.")
    ] = ""
    guards: Annotated[
        list[str] | None,
        typer.Option("--guard", metavar="METRIC[:MARGIN]", help="Must not get worse by its margin (0.10); repeatable."),
    ] = None
    margin: Annotated[
        float | None, typer.Option("--margin", help="Smallest effect worth having: 0.03 for rates, 0.05 for times.")
    ] = None
    max_blocks: Annotated[
        int | None, typer.Option("--max-blocks", help="3, 5 or 8 (the default); 1 and 2 give no verdict.")
    ] = None
    settle_s: Annotated[
        float | None, typer.Option("--settle", metavar="SECONDS", help="Wait after a setting without a restart; 60.")
    ] = None
    nodes: Annotated[
        str, typer.Option("--nodes", metavar="A,B", help="The machines behind the server; guards watch them.")
    ] = ""
    stop_engine: Annotated[
        bool, typer.Option("--stop-engine", help="End the engine at once when a guard stops, to save its host.")
    ] = False
    tail_s: Annotated[
        float | None,
        typer.Option("--tail", min=0, metavar="SECONDS", help="Watch on after each visit, with nothing sent; 60."),
    ] = None
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, max=2**63 - 1, help="Fixes the order, and which texts are sent.")
    ] = None
