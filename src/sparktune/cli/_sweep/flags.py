"""The flags of ``sparktune sweep`` as the values that a sweep's file would have."""

__all__ = ["SweepFlags", "sweep_values"]

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from sparktune.cli._ab.flags import AbFlags
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
from sparktune.errors import UsageError

_LIVE: Final = re.compile(r"(?P<path>/[^:]*):(?P<keys>[^=]+)=(?P<knob>[^,]+)(?:,(?P<baseline>.*))?", re.DOTALL)
_FLAGS: Final = {"knobs": "--knob", "constraints": "--constraint", "pairs": "--no-pairs", "live": "--live-http"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepFlags:
    """What describes the sweep; "" and None are "not given"."""

    knob: Annotated[
        list[str] | None,
        typer.Option(
            "--knob",
            metavar="NAME=VALUES",
            help="A knob of the catalogue and what to try: max_num_seqs=4,8,16 or num_speculative_tokens=2..5; "
            "a setting that it does not know is flag:--x=1,2 or env:X=1,2. May be repeated.",
        ),
    ] = None
    params: Annotated[
        str, typer.Option("--params", metavar="FILE", help="vLLM's own file of parameters to sweep, in JSON.")
    ] = ""
    url: Url = ""
    service: Service = ""
    launcher: Annotated[
        str,
        typer.Option("--launcher", metavar="NAME", help="How it is started: command, compose, systemd or script."),
    ] = ""
    baseline: Annotated[
        str,
        typer.Option(
            "--baseline",
            metavar="ARM",
            help="What runs now: with launcher command its command; a service is taken as its files are.",
        ),
    ] = ""
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where",
            metavar="PART",
            help="Part of a service, as for ab: NODE:FILE:SERVICE (compose), NODE:UNIT (systemd); may be repeated.",
        ),
    ] = None
    engine: Annotated[
        str, typer.Option("--engine", help="vllm, sglang or llamacpp, where neither command nor server tells.")
    ] = ""
    live_http: Annotated[
        list[str] | None,
        typer.Option(
            "--live-http",
            metavar="PATH:KEYS=KNOB[,NOW]",
            help="What the server says of a knob, and what it says now: /props:total_slots=max_num_seqs,1",
        ),
    ] = None
    constraint: Annotated[
        list[str] | None,
        typer.Option(
            "--constraint", metavar="METRIC<=X", help="Must hold in every cell: 'ttft_s<=1.5'; may be repeated."
        ),
    ] = None
    budget: Annotated[
        str, typer.Option("--budget", metavar="TIME", help="The most that choosing may take: 3h, 90m; no limit.")
    ] = ""
    race_blocks: Annotated[
        int | None, typer.Option("--race-blocks", min=0, help="The most blocks of the race; 3 unless given.")
    ] = None
    no_pairs: Annotated[bool, typer.Option("--no-pairs", help="Do not race combinations of what wins alone.")] = False
    confirm_blocks: Annotated[
        int | None, typer.Option("--confirm-blocks", help="Blocks of the confirmation: 3, 5 or 8 (the default).")
    ] = None
    model: Model = ""
    workload: Workload = ""
    prompt_tokens: PromptTokens = ""
    output_tokens: OutputTokens = ""
    concurrency: Concurrency = ""
    trials: Trials = None
    warmup: Warmup = ""
    quality: Annotated[
        bool, typer.Option("--quality", help="Ask tool calls and a canary after each visit's trials.")
    ] = False
    primary: Primary = ""
    margin: Margin = None
    nodes: NodesBehind = ""
    stop_engine: StopEngine = False
    tail: Tail = None
    study: Annotated[
        str,
        typer.Option(
            "--study",
            metavar="URL",
            envvar="SPARKTUNE_STUDY",
            help="A study that several sweeps share: sqlite:///study.db or postgresql://USER@HOST/DB (extra study).",
        ),
    ] = ""
    proposals: Annotated[
        int, typer.Option("--proposals", min=1, max=64, help="Combinations that the study proposes besides.")
    ] = 6
    seed: Seed = None


def sweep_values(file: Path | None, flags: SweepFlags) -> tuple[dict[str, Any], Any]:
    """Return what the file and the flags say together, flags first, and how to complain about a place in it."""
    from sparktune.cli._ab.arguments import values_of

    shared = ("url", "service", "launcher", "model", "workload", "prompt_tokens", "output_tokens", "concurrency")
    more = ("trials", "warmup", "quality", "primary", "margin", "nodes", "stop_engine", "seed")
    given = {name: getattr(flags, name) for name in (*shared, *more)}
    values, fault = values_of(file, AbFlags(**given, a=flags.baseline, where=flags.where, tail_s=flags.tail))
    if flags.baseline:
        values["baseline"] = values.pop("a")
    own = _own(flags)

    def of_sweep(place: tuple[Any, ...], message: str, hint: str) -> UsageError:
        if place[:1] == ("a",):
            place = ("baseline", *place[1:])
        key = str(place[0]) if place else ""
        if key in own or (file is None and key in _FLAGS):
            flag = _FLAGS.get(key, "--" + key.replace("_", "-"))
            return UsageError(f"{flag}: {message}", hint=hint)
        made: UsageError = fault(place, message, hint)
        return made

    return {**values, **own}, of_sweep


def _own(flags: SweepFlags) -> dict[str, Any]:
    plain = {
        "knobs": flags.knob or None,
        "params": flags.params or None,
        "engine": flags.engine or None,
        "constraints": flags.constraint or None,
        "budget": flags.budget or None,
        "race_blocks": flags.race_blocks,
        "pairs": False if flags.no_pairs else None,
        "confirm_blocks": flags.confirm_blocks,
        "live": _live(flags.live_http or []) or None,
    }
    return {name: value for name, value in plain.items() if value is not None}


def _live(texts: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for text in texts:
        match = _LIVE.fullmatch(text)
        if match is None:
            message = f"--live-http {text!r} is not PATH:KEYS=KNOB[,NOW]"
            raise UsageError(message, hint="for instance --live-http /props:total_slots=max_num_seqs,1")
        reader = {"http": match["path"], "keys": match["keys"], "knob": match["knob"]}
        found[f"{match['path']} {match['keys']}"] = {
            **reader,
            **({"A": match["baseline"]} if match["baseline"] else {}),
        }
    return found
