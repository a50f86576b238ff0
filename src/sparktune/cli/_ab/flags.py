"""The flags of ``sparktune ab``."""

__all__ = ["AbFlags"]

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from sparktune.cli._experiment_options import (
    Margin,
    NodesBehind,
    Primary,
    StopEngine,
    Tail,
    Trials,
    Url,
    Warmup,
    Workload,
)
from sparktune.cli._options import Concurrency, Model, OutputTokens, PromptTokens, Seed, Service


@dataclass(frozen=True, slots=True, kw_only=True)
class AbFlags:
    """What describes the experiment; "" and None are "not given"."""

    url: Url = ""
    service: Service = ""
    model: Model = ""
    launcher: Annotated[
        str,
        typer.Option(
            "--launcher",
            metavar="NAME",
            help="How the arms are set: command, attach, hot, boot, compose, systemd, sparkrun or script.",
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
    prompt_tokens: PromptTokens = ""
    output_tokens: OutputTokens = ""
    depth: Annotated[str, typer.Option("--depth", metavar="N,N..", help="Tokens of cached context.")] = ""
    concurrency: Concurrency = ""
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
    workload: Workload = ""
    trials: Trials = None
    warmup: Warmup = ""
    primary: Primary = ""
    guards: Annotated[
        list[str] | None,
        typer.Option("--guard", metavar="METRIC[:MARGIN]", help="Must not get worse by its margin (0.10); repeatable."),
    ] = None
    margin: Margin = None
    max_blocks: Annotated[
        int | None, typer.Option("--max-blocks", help="3, 5 or 8 (the default); 1 and 2 give no verdict.")
    ] = None
    settle_s: Annotated[
        float | None, typer.Option("--settle", metavar="SECONDS", help="Wait after a setting without a restart; 60.")
    ] = None
    nodes: NodesBehind = ""
    stop_engine: StopEngine = False
    tail_s: Tail = None
    seed: Seed = None
