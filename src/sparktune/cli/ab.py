"""``sparktune ab``: decide between two settings by an experiment."""

__all__ = ["register"]

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from sparktune.cli._complete import experiment_ids

if TYPE_CHECKING:
    from sparktune.cli._ab_arguments import AbOptions

_RUN = "run"
_Experiment = Annotated[
    str,
    typer.Argument(
        metavar="RUN",
        help="Id of the experiment, or its beginning; the newest unless given.",
        autocompletion=experiment_ids,
    ),
]
_Json = Annotated[bool, typer.Option("--json", help="Print JSON (schema 1).")]
_Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]
_Yes = Annotated[bool, typer.Option("--yes", help="Do not ask: start, and go on where it looks hopeless.")]
_ApiKey = Annotated[
    str, typer.Option("--api-key", help="Seen by every user of this machine: better SPARKTUNE_API_KEY.")
]
_ApiKeyFile = Annotated[Path | None, typer.Option("--api-key-file", help="A file that holds the API key alone.")]
_Corpus = Annotated[Path | None, typer.Option("--corpus", help="A text file for prompts, instead of Python's own.")]
_Accept = Annotated[
    bool, typer.Option("--accept", help="On a win set arm B in the end, and write earned.yaml, without asking.")
]
_Earned = Annotated[Path, typer.Option("--earned", metavar="FILE", help="Where settings that won are kept.")]
_EARNED = Path("earned.yaml")
_ClientCores = Annotated[
    str,
    typer.Option(
        "--client-cores",
        metavar="keep|efficiency|LIST",
        help="Where the client measures; on efficiency cores beside a server on this machine, if there are any.",
    ),
]


_AllowReboot = Annotated[
    bool, typer.Option("--allow-reboot", help="Boot the machines of arms that count at a boot only, before each visit.")
]


class _Group(TyperGroup):
    """Lets ``run`` be left out: ``sparktune ab FILE.yaml``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - what typer calls its context
        """Put ``run`` in front of what is no command."""
        if args and args[0] not in {*self.commands, "--help", "-h"}:
            args = [_RUN, *args]
        return super().parse_args(ctx, args)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(
        cls=_Group,
        no_args_is_help=True,
        help="Decide between two settings. `run` may be left out: sparktune ab FILE.yaml",
    )
    group.command(_RUN, short_help="Run an experiment from a file, or from flags.")(run)
    group.command("resume", short_help="Go on after an interruption or a crash, or only bring the original back.")(
        resume
    )
    group.command("show", short_help="Show an experiment, computed anew from what was recorded.")(show)
    group.command("list", short_help="List the newest experiments.")(list_experiments)
    app.add_typer(group, name="ab")


def run(
    context: typer.Context,
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="An experiment in YAML; flags go before what it says.")
    ] = None,
    url: Annotated[str, typer.Option("--url", help="Address of the server, for instance http://HOST:8000/v1")] = "",
    service: Annotated[str, typer.Option("--service", help="A service of sparktune.yaml.")] = "",
    model: Annotated[str, typer.Option("--model", help="The model; needed when the server serves several.")] = "",
    launcher: Annotated[
        str,
        typer.Option(
            "--launcher",
            metavar="NAME",
            help="How the arms are set: command, attach, hot, compose, systemd, sparkrun or script.",
        ),
    ] = "",
    a: Annotated[
        str,
        typer.Option(
            "--a",
            metavar="ARM",
            help="Arm A, what runs now: its command, with attach what to do, for a service env:NAME=1 flag:--x=8.",
        ),
    ] = "",
    b: Annotated[str, typer.Option("--b", metavar="ARM", help="Arm B, the candidate.")] = "",
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where",
            metavar="PART",
            help="Part of a service, in the order of its start: NODE:FILE:SERVICE (compose), NODE:UNIT (systemd), "
            "NODE:RECIPE[:CLUSTER] (sparkrun); may be repeated.",
        ),
    ] = None,
    live_http: Annotated[
        list[str] | None,
        typer.Option(
            "--live-http",
            metavar="PATH:KEYS=A,B",
            help="What the server says of the setting in each arm: /props:total_slots=1,4; may be repeated.",
        ),
    ] = None,
    knob: Annotated[str, typer.Option("--knob", help="What differs, as people call it.")] = "",
    aa: Annotated[bool, typer.Option("--aa", help="Measure arm A twice: how large the noise is, and where.")] = False,
    equivalence: Annotated[
        bool,
        typer.Option("--equivalence", help="A and B are two ways to run the same: show that they are, or differ."),
    ] = False,
    quality: Annotated[
        bool, typer.Option("--quality", help="Ask tool calls and a canary after each visit's trials, as guards.")
    ] = False,
    prompt_tokens: Annotated[
        str, typer.Option("--prompt-tokens", "--pp", metavar="N,N..", help="Prompt lengths; 512 unless given.")
    ] = "",
    output_tokens: Annotated[
        str, typer.Option("--output-tokens", "--tg", metavar="N,N..", help="Output lengths; 128 unless given.")
    ] = "",
    depth: Annotated[str, typer.Option("--depth", metavar="N,N..", help="Tokens of cached context.")] = "",
    concurrency: Annotated[str, typer.Option("--concurrency", metavar="N,N..", help="Simultaneous streams.")] = "",
    stagger: Annotated[
        str, typer.Option("--stagger", metavar="TIME", help="Start stream after stream this far apart.")
    ] = "",
    arrival_rate: Annotated[
        float | None, typer.Option("--arrival-rate", metavar="N", help="Start streams at random, N per second.")
    ] = None,
    household: Annotated[
        float | None, typer.Option("--household", metavar="SCALE", help="Two agents, as in bench --household.")
    ] = None,
    prompts: Annotated[
        Path | None, typer.Option("--prompts", metavar="FILE", help="Your own prompts, as in bench --prompts.")
    ] = None,
    nonce: Annotated[bool, typer.Option("--nonce", help="Put new words in front of each own prompt.")] = False,
    workload: Annotated[str, typer.Option("--workload", help="A workload of sparktune.yaml.")] = "",
    trials: Annotated[
        int | None, typer.Option("--trials", min=1, max=1000, help="Waves per cell and visit; 3 unless given.")
    ] = None,
    warmup: Annotated[
        str, typer.Option("--warmup", metavar="auto|N|off", help="Waves before measuring, in every visit.")
    ] = "",
    primary: Annotated[
        str, typer.Option("--primary", metavar="METRIC", help="The number that decides; output_tok_s unless given.")
    ] = "",
    guard: Annotated[
        list[str] | None,
        typer.Option("--guard", metavar="METRIC[:MARGIN]", help="Must not get worse by its margin (0.10); repeatable."),
    ] = None,
    margin: Annotated[
        float | None, typer.Option("--margin", help="Smallest effect worth having: 0.03 for rates, 0.05 for times.")
    ] = None,
    max_blocks: Annotated[
        int | None, typer.Option("--max-blocks", help="3, 5 or 8 (the default); 1 and 2 give no verdict.")
    ] = None,
    settle: Annotated[
        float | None, typer.Option("--settle", metavar="SECONDS", help="Wait after a setting without a restart; 60.")
    ] = None,
    nodes: Annotated[
        str, typer.Option("--nodes", metavar="A,B", help="The machines behind the server; guards watch them.")
    ] = "",
    stop_engine: Annotated[
        bool, typer.Option("--stop-engine", help="End the engine at once when a guard stops, to save its host.")
    ] = False,
    tail: Annotated[
        float | None,
        typer.Option("--tail", min=0, metavar="SECONDS", help="Watch on after each visit, with nothing sent; 60."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, max=2**63 - 1, help="Fixes the order, and which texts are sent.")
    ] = None,
    accept: _Accept = False,
    earned: _Earned = _EARNED,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the plan and what it costs, and stop.")] = False,
    corpus: _Corpus = None,
    api_key: _ApiKey = "",
    api_key_file: _ApiKeyFile = None,
    allow_reboot: _AllowReboot = False,
    client_cores: _ClientCores = "",
    yes: _Yes = False,
    json_output: _Json = False,
    quiet: _Quiet = False,
) -> None:
    """Measure two settings in alternating visits, and say which is better, or that it cannot be told.

    Every arm is read back live before it is measured. Looks are after 3, 5 and 8 blocks and nowhere else; in the end
    the original is set again. Ends with 0 for a verdict, 5 for none, 4 when a guard stopped it, and 3 when two ways
    that --equivalence compares are shown to differ.
    """
    options = _options(locals())
    from sparktune.cli._ab import run_command
    from sparktune.cli._ab_arguments import AbFlags

    del context
    run_command(
        file,
        AbFlags(
            url=url,
            service=service,
            launcher=launcher,
            a=a,
            b=b,
            where=tuple(where or ()),
            live_http=tuple(live_http or ()),
            knob=knob,
            aa=aa,
            equivalence=equivalence,
            quality=quality,
            prompt_tokens=prompt_tokens,
            output_tokens=output_tokens,
            depth=depth,
            concurrency=concurrency,
            stagger=stagger,
            arrival_rate=arrival_rate,
            household=household,
            prompts=prompts,
            nonce=nonce,
            workload=workload,
            trials=trials,
            warmup=warmup,
            model=model,
            primary=primary,
            guards=tuple(guard or ()),
            margin=margin,
            max_blocks=max_blocks,
            settle_s=settle,
            nodes=nodes,
            stop_engine=stop_engine,
            tail_s=tail,
            seed=seed,
        ),
        options,
        dry_run=dry_run,
    )


def resume(
    experiment: _Experiment = "",
    restore_only: Annotated[
        bool, typer.Option("--restore-only", help="Bring the original back, see that it is live, and measure nothing.")
    ] = False,
    accept: _Accept = False,
    earned: _Earned = _EARNED,
    corpus: _Corpus = None,
    api_key: _ApiKey = "",
    api_key_file: _ApiKeyFile = None,
    allow_reboot: _AllowReboot = False,
    client_cores: _ClientCores = "",
    yes: _Yes = False,
    json_output: _Json = False,
    quiet: _Quiet = False,
) -> None:
    """Take back what an interrupted or killed experiment left, then go on with its first unfinished block.

    That block is measured again as a whole; what there was of it stays in the record and counts for nothing.
    """
    options = _options(locals())
    from sparktune.cli._ab import resume_command

    resume_command(experiment, options, restore_only=restore_only)


def _options(given: Mapping[str, Any]) -> "AbOptions":
    """Return how the command behaves, from the arguments that ``run`` and ``resume`` have in common."""
    from sparktune.cli._ab_arguments import AbOptions

    shared = ("accept", "earned", "corpus", "api_key", "api_key_file", "allow_reboot", "client_cores", "yes", "quiet")
    return AbOptions(json=given["json_output"], **{name: given[name] for name in shared})


def show(experiment: _Experiment = "", json_output: _Json = False) -> None:
    """Show what an experiment came to, computed anew from what was recorded; ends as the experiment did."""
    from sparktune.cli._ab_show import print_experiment

    print_experiment(experiment, as_json=json_output)


def list_experiments(
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many, newest first.")] = 20,
    json_output: _Json = False,
) -> None:
    """List the newest experiments."""
    from sparktune.cli._ab_show import print_list

    print_list(limit, as_json=json_output)
