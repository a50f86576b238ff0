"""Put ``sparktune bench`` together: read what was asked, run the flow, show the result, choose the exit code."""

__all__ = ["measure_and_show", "run_command"]

import asyncio
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from sparktune.bench.corpus import Corpus
from sparktune.cli._bench_arguments import BenchArguments, finite_number, refuse_changes, workload_of
from sparktune.cli._client_cores import client_cores
from sparktune.cli._output import Output, raise_for, show
from sparktune.cli._progress import make_progress
from sparktune.cli._service import choose
from sparktune.errors import EndpointError, Interrupted, StoreError, UsageError
from sparktune.flows.bench.order import BenchOrder, open_bench
from sparktune.flows.bench.progress import Progress
from sparktune.flows.bench.result import rebuild
from sparktune.flows.bench.run import run_bench
from sparktune.io.corpus import file_corpus, python_corpus
from sparktune.io.secrets import read_api_key
from sparktune.io.store.store import Store
from sparktune.io.traffic import with_text_of
from sparktune.model.result import RunResult


def run_command(arguments: BenchArguments) -> None:
    """Run the command to its end. Raises a SparktuneError, with the exit code, for what the user should know."""
    output = Output.of(json=arguments.json, form=arguments.form, save=arguments.save, save_result=arguments.save_result)
    progress = make_progress(quiet=arguments.quiet)
    with Store.open() as store:
        _tell_recovered(store, progress)
        order = _order(arguments, store, progress)
        result = measure_and_show(order, store, progress, lambda result, told: show(result, output, resume_told=told))
    raise_for(result)


def measure_and_show(
    order: BenchOrder, store: Store, progress: Progress, show_result: Callable[[RunResult, bool], None]
) -> RunResult:
    """Measure, then show what the store has - also when the run was interrupted or failed - and return it.

    ``show_result`` also gets whether an error follows that says how to go on.
    """
    return asyncio.run(_measure_and_show(order, store, progress, show_result))


async def _measure_and_show(
    order: BenchOrder, store: Store, progress: Progress, show_result: Callable[[RunResult, bool], None]
) -> RunResult:
    async with open_bench(order, store, progress) as (tools, run):
        try:
            await run_bench(tools, run)
        except BaseException as error:
            if isinstance(error, StoreError):
                onwards = f"then go on with: sparktune bench --resume {run.id}"
                error.hint = f"{error.hint}; {onwards}" if error.hint else onwards
            result = rebuild(store, run)
            show_result(result, isinstance(error, Interrupted | EndpointError | StoreError))
            with suppress(StoreError):  # the store may be what failed: that is told, and not hidden by a second failure
                store.save_result_summary(result)
            raise
        result = rebuild(store, run)
    store.save_result_summary(result)
    show_result(result, False)
    return result


def _order(arguments: BenchArguments, store: Store, progress: Progress) -> BenchOrder:
    if arguments.resume:
        refuse_changes(arguments)
    earlier = store.load_run(arguments.resume) if arguments.resume else None
    choice = choose(arguments, earlier, Path())
    if choice.corpus and arguments.corpus and not choice.corpus.traffic:
        message = "own prompts are whole: there is nothing to be cut from --corpus"
        raise UsageError(message, hint="leave it out, or leave the prompts out")
    key = read_api_key(
        os.environ,
        flag=arguments.api_key or None,
        file=arguments.api_key_file or choice.api_key_file,
        variable=choice.api_key_env,
    )
    for warning in key.warnings:
        progress.say(f"warning: {warning}")
    model = arguments.model or choice.model or ""
    return BenchOrder(
        base_url=choice.endpoint,
        workload=earlier.workload if earlier else workload_of(arguments, choice.cells, choice.trials, model=model),
        corpus=_corpus(arguments.corpus, choice.corpus, progress),
        secret=key.secret,
        wait_s=finite_number(arguments.wait_s, "--wait"),
        earlier=earlier,
        argv=sys.argv,
        entropy=os.urandom(2),
        cores=client_cores(arguments.client_cores, choice.endpoint, progress.say),
    )


def _corpus(path: Path | None, chosen: Corpus | None, progress: Progress) -> Corpus:
    """Return what prompts are made of: as the cells have it, with the user's own text for a replay."""
    if chosen is None:
        return file_corpus(path) if path else python_corpus()
    for note in chosen.traffic.notes if chosen.traffic else ():
        progress.say(note)
    return with_text_of(file_corpus(path), chosen) if path else chosen


def _tell_recovered(store: Store, progress: Progress) -> None:
    recovered = store.recovered
    if recovered.waves:
        progress.say(f"kept {recovered.requests} finished requests that an earlier run left when it died")
