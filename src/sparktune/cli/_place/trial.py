"""``sparktune place trial``: its flags and its help; what it does is loaded when it is called."""

__all__ = ["trial"]

from typing import Annotated

import typer

from sparktune.cli._complete import trial_ids, workload_names
from sparktune.cli._options import ApiKeyFile, Json, Model, OutputTokens, PromptTokens, Quiet, Yes
from sparktune.cli._place.options import ServiceByName


def trial(
    thread: Annotated[
        str, typer.Argument(metavar="[TID@NODE]", help="The thread, as place scan names it; without @ of this machine.")
    ] = "",
    cpus: Annotated[
        str, typer.Option("--cpus", metavar="LIST", help="Where it is moved; the efficiency cores unless given.")
    ] = "",
    accept_likely: Annotated[
        bool, typer.Option("--accept-likely", help="You know that it polls, where place scan says likely.")
    ] = False,
    settle: Annotated[
        str, typer.Option("--settle", metavar="TIME", help="Wait after each move, before measuring.")
    ] = "120s",
    window: Annotated[str, typer.Option("--window", metavar="TIME", help="How long a visit measures.")] = "60s",
    max_blocks: Annotated[
        int, typer.Option("--max-blocks", metavar="N", help="3, 5 or 8; 1 and 2 give no verdict.")
    ] = 8,
    sensor: Annotated[
        str,
        typer.Option("--sensor", metavar="NAME", help="The temperature that decides; the hottest zone unless given."),
    ] = "",
    endpoint: Annotated[
        str, typer.Option("--endpoint", metavar="URL", help="The server: whether it is idle, and what moving costs.")
    ] = "",
    service: ServiceByName = "",
    idle_only: Annotated[bool, typer.Option("--idle-only", help="Measure nothing under load.")] = False,
    load_only: Annotated[bool, typer.Option("--load-only", help="Measure nothing at idle.")] = False,
    workload: Annotated[
        str,
        typer.Option("--workload", help="What is sent: a workload of sparktune.yaml.", autocompletion=workload_names),
    ] = "",
    prompt_tokens: PromptTokens = "",
    output_tokens: OutputTokens = "",
    trials: Annotated[
        int | None,
        typer.Option("--trials", min=1, max=1000, help="Waves per cell and visit under load; 3 unless given."),
    ] = None,
    model: Model = "",
    load_settle: Annotated[
        float | None, typer.Option("--load-settle", min=0, metavar="SECONDS", help="As --settle, under load; 60.")
    ] = None,
    api_key_file: ApiKeyFile = None,
    seed: Annotated[int | None, typer.Option("--seed", min=0, max=2**63 - 1, help="Fixes the order of visits.")] = None,
    show: Annotated[
        str,
        typer.Option(
            "--show",
            metavar="RUN",
            help="Show a trial that there was: its id, the beginning of it, or last.",
            autocompletion=trial_ids,
        ),
    ] = "",
    undo: Annotated[bool, typer.Option("--undo", help="Take back what a killed trial left.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the plan and what it takes, and stop.")] = False,
    yes: Yes = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Prove that moving one thread cools the node, and that it costs no tokens per second.

    The thread is moved and moved back in alternating visits at idle, each left to settle; the difference has an
    interval, and a verdict after 3, 5 or 8 blocks. With a server the same is measured under load. In the end the
    thread has the CPUs that it had. Ends with 0 for a verdict, 5 for none, 4 when a guard stopped the load.
    """
    from sparktune.cli._place.trial_load import TrialLoad
    from sparktune.cli._place.trial_run import TrialArguments, run_trial_command

    load = TrialLoad(
        endpoint=endpoint,
        service=service,
        idle_only=idle_only,
        workload=workload,
        prompt_tokens=prompt_tokens,
        output_tokens=output_tokens,
        trials=trials,
        model=model,
        api_key_file=api_key_file,
        settle_s=load_settle,
    )
    run_trial_command(
        TrialArguments(
            thread=thread,
            cpus=cpus,
            accept_likely=accept_likely,
            settle=settle,
            window=window,
            max_blocks=max_blocks,
            sensor=sensor,
            load=load,
            load_only=load_only,
            seed=seed,
            show=show,
            undo=undo,
            dry_run=dry_run,
            yes=yes,
            as_json=as_json,
            quiet=quiet,
        )
    )
