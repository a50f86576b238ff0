"""``sparktune bench``: measure a server."""

__all__ = ["register"]

from pathlib import Path
from typing import Annotated

import typer

from sparktune.cli._complete import run_ids, workload_names
from sparktune.cli._options import (
    Address,
    ApiKey,
    ApiKeyFile,
    ClientCores,
    Concurrency,
    Json,
    Model,
    Quiet,
    Service,
    Thinking,
    Wait,
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("bench", short_help="Measure a server, and say when a number is not to be trusted.")(bench)


def bench(
    context: typer.Context,
    url: Address = "",
    base_url: Annotated[str, typer.Option("--base-url", help="The same, as a flag.")] = "",
    service: Service = "",
    model: Model = "",
    api_key: ApiKey = "",
    api_key_file: ApiKeyFile = None,
    wait: Wait = 0.0,
    prompt_tokens: Annotated[
        str, typer.Option("--prompt-tokens", "--pp", metavar="N,N..", help="Prompt lengths.")
    ] = "512",
    output_tokens: Annotated[
        str, typer.Option("--output-tokens", "--tg", metavar="N,N..", help="Output lengths.")
    ] = "128",
    depth: Annotated[
        str,
        typer.Option(
            "--depth",
            metavar="N,N..",
            help="Tokens of context, loaded and cached before the measured prompt.",
        ),
    ] = "0",
    concurrency: Concurrency = "1",
    trials: Annotated[
        int, typer.Option("--trials", "--runs", min=1, max=1_000_000, help="Measured waves per cell.")
    ] = 5,
    warmup: Annotated[
        str,
        typer.Option(
            "--warmup",
            metavar="auto|N|off",
            help="Waves before measuring: until they agree, a number, or none.",
        ),
    ] = "auto",
    corpus: Annotated[
        Path | None,
        typer.Option(
            "--corpus",
            help="A text file for prompts, instead of Python's own documentation and sources.",
        ),
    ] = None,
    workload: Annotated[
        str,
        typer.Option(
            "--workload",
            metavar="NAME|FILE.jsonl",
            help="A workload of sparktune.yaml, or a trace of `sparktune record` to replay.",
            autocompletion=workload_names,
        ),
    ] = "",
    scale_time: Annotated[
        float,
        typer.Option("--scale-time", min=0, metavar="N", help="Replay with times multiplied: 0.5 is twice as fast."),
    ] = 1.0,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, metavar="N", help="Replay the first N requests of the trace only.")
    ] = None,
    stagger: Annotated[
        str,
        typer.Option("--stagger", metavar="TIME", help="Start stream after stream this far apart, not all at once."),
    ] = "",
    arrival_rate: Annotated[
        float,
        typer.Option("--arrival-rate", min=0, metavar="N", help="Start streams at random instants, N per second."),
    ] = 0.0,
    household: Annotated[
        float | None,
        typer.Option(
            "--household",
            metavar="SCALE",
            help="Two agents: one talks in turns, the other sends one long prompt meanwhile; 1 is full size.",
        ),
    ] = None,
    prompts: Annotated[
        Path | None,
        typer.Option("--prompts", help='Your own prompts, sent as they are: JSON Lines, {"prompt": ...} or messages.'),
    ] = None,
    nonce: Annotated[
        bool, typer.Option("--nonce", help="Put new words in front of each of your own prompts in every wave.")
    ] = False,
    api: Annotated[str, typer.Option("--api", metavar="chat|completions", help="Which route is measured.")] = "chat",
    natural: Annotated[
        bool,
        typer.Option(
            "--natural",
            help="Let the model stop by itself; the output length is then only a limit.",
        ),
    ] = False,
    thinking: Thinking = "server",
    temperature: Annotated[
        float | None,
        typer.Option("--temperature", min=0, help="Left to the server unless given."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, max=2**63 - 1, help="Chooses which texts are sent.")] = 0,
    sampling_seed: Annotated[
        int | None, typer.Option("--sampling-seed", min=-(2**63), max=2**63 - 1, help="Sent to the server as seed.")
    ] = None,
    extra_body: Annotated[
        str,
        typer.Option(
            "--extra-body",
            metavar="JSON",
            help="A JSON object that is added to every request, last.",
        ),
    ] = "{}",
    slo: Annotated[str, typer.Option("--slo", metavar="ttft=2s,tpot=50ms", help="Objective for goodput.")] = "",
    stall: Annotated[
        float,
        typer.Option(
            "--stall",
            min=0.1,
            metavar="SECONDS",
            help="A stream that sends nothing for this long has failed.",
        ),
    ] = 120.0,
    timeout: Annotated[
        float,
        typer.Option(
            "--timeout",
            min=0.1,
            metavar="SECONDS",
            help="A request that takes longer has failed.",
        ),
    ] = 3600.0,
    client_cores: ClientCores = "",
    save: Annotated[
        list[Path] | None,
        typer.Option(
            "--save",
            help="Write the result, in the form of its suffix: .md, .json or .csv; may be given several times.",
        ),
    ] = None,
    save_result: Annotated[
        list[Path] | None,
        typer.Option(
            "--save-result",
            help="Write the result: JSON and CSV in llama-benchy's shape, Markdown with its row names; see --format.",
        ),
    ] = None,
    form: Annotated[
        str, typer.Option("--format", metavar="md|json|csv", help="JSON and CSV in llama-benchy's shape, or Markdown.")
    ] = "",
    json_output: Json = False,
    quiet: Quiet = False,
    resume: Annotated[
        str,
        typer.Option(
            "--resume",
            metavar="RUN",
            help="Go on with a run that was interrupted: its id, the beginning of it, or last.",
            autocompletion=run_ids,
        ),
    ] = "",
    skip_coherence: Annotated[
        bool,
        typer.Option(
            "--skip-coherence",
            help="Accepted for llama-benchy's command lines; there is no such test here.",
        ),
    ] = False,
) -> None:
    """Measure a server's speed with numbers that say when they cannot be trusted.

    Every combination of prompt, output, depth and concurrency is a cell; each is warmed up and then measured in waves
    of simultaneous streams. All of it is stored: see `sparktune runs`.
    """
    del skip_coherence
    from sparktune.cli._bench import run_command
    from sparktune.cli._bench_arguments import BenchArguments

    run_command(
        BenchArguments(
            url=base_url or url,
            service=service,
            model=model,
            api_key=api_key,
            api_key_file=api_key_file,
            wait_s=wait,
            prompt_tokens=prompt_tokens,
            output_tokens=output_tokens,
            depth=depth,
            concurrency=concurrency,
            trials=trials,
            warmup=warmup,
            corpus=corpus,
            workload=workload,
            stagger=stagger,
            arrival_rate=arrival_rate,
            household=household,
            prompts=prompts,
            nonce=nonce,
            scale_time=scale_time,
            limit=limit,
            api=api,
            fixed_length=not natural,
            thinking=thinking,
            temperature=temperature,
            seed=seed,
            sampling_seed=sampling_seed,
            extra_body=extra_body,
            slo=slo,
            stall_s=stall,
            timeout_s=timeout,
            client_cores=client_cores,
            save=tuple(save or ()),
            save_result=tuple(save_result or ()),
            form=form,
            json=json_output,
            quiet=quiet,
            resume=resume,
            given=_given(context),
        )
    )


def _given(context: typer.Context) -> frozenset[str]:
    """Return the names of the options that were written, not left at their defaults."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    return frozenset(name for name, source in sources.items() if source is not None and source.name == "COMMANDLINE")
