"""Put ``sparktune demo`` together: an experiment on a real server, or its bench table, and what to make of it."""

__all__ = ["DemoOptions", "run_command"]

import os
import socket
import sys
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from sparktune.cli._ab.run import run_values
from sparktune.cli._ab.show import finish, show_result
from sparktune.cli._bench import measure_and_show
from sparktune.cli._client_cores import client_cores
from sparktune.cli._experiment_options import ExperimentOptions
from sparktune.cli._output import Output, raise_for, show
from sparktune.cli._progress import make_progress
from sparktune.errors import UsageError
from sparktune.flows.bench.order import BenchOrder
from sparktune.flows.bench.progress import Progress
from sparktune.flows.demo import DEMO_SLOTS, demo_experiment, demo_workload
from sparktune.io.corpus import python_corpus
from sparktune.io.demo_server import check_engine, check_model, find_model, serve, server_command
from sparktune.io.store.location import database_path
from sparktune.io.store.store import Store
from sparktune.model.result import RunResult
from sparktune.report.demo import ab_reading, reading

_LOG_NAME = "demo-server.log"
_NEXT_BENCH = "your own server: sparktune bench http://HOST:PORT/v1 --concurrency 1,2,4"
_NEXT = "your own server: sparktune ab FILE.yaml, as in docs/guides/two-agents.md; its numbers: sparktune bench URL"


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoOptions:
    """What the demo's flags say."""

    model: Path | None = None
    bench: bool = False
    save: tuple[Path, ...] = ()
    json: bool = False
    quiet: bool = False


def run_command(options: DemoOptions) -> None:
    """Run the demo to its end. Raises a SparktuneError, with the exit code, for what the user should know."""
    if options.bench:
        _bench(options)
        return
    if options.save:
        message = "--save is for the table of --bench"
        raise UsageError(message, hint="an experiment is kept: sparktune runs report, sparktune ab show")
    _decide(options)


def _decide(options: DemoOptions) -> None:
    check_engine()
    check_model(find_model(options.model))
    progress = make_progress(quiet=options.quiet)
    port = _free_port()
    command = server_command(options.model.absolute() if options.model else None, port=port)
    progress.say("a real experiment: is a server of 4 slots better for two agents than one of 1? Ctrl-C ends it")
    result = run_values(
        dict(demo_experiment(command, port)), ExperimentOptions(yes=True, json=options.json, quiet=options.quiet)
    )
    show_result(result, as_json=options.json)
    for line in (*ab_reading(result), _NEXT):
        progress.say(line)
    finish(result)


def _free_port() -> int:
    """Return a port that is free now; should somebody take it meanwhile, starting the server says so."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def _bench(options: DemoOptions) -> None:
    output = Output.of(json=options.json, save=options.save)
    progress = make_progress(quiet=options.quiet)
    path = find_model(options.model)
    check_model(path)
    log = database_path().with_name(_LOG_NAME)
    with Store.open() as store:
        waiting = Console(stderr=True, quiet=options.quiet).status(f"llama.cpp is loading {path.name}")
        with serve(path, log=log, slots=DEMO_SLOTS, loading=waiting) as server:
            progress.say(f"llama.cpp serves {path.name} with one thread at {server.base_url} (its log: {log})")
            order = BenchOrder(
                base_url=server.base_url,
                workload=demo_workload(server.model),
                corpus=python_corpus(),
                argv=sys.argv,
                entropy=os.urandom(2),
                cores=client_cores("", server.base_url, progress.say),
            )
            result = measure_and_show(order, store, progress, lambda measured, _: _show(measured, output, progress))
    raise_for(result)


def _show(result: RunResult, output: Output, progress: Progress) -> None:
    show(result, output, resume_told=True)  # a run whose server ends with the demo cannot go on
    for line in (reading(result), _NEXT_BENCH):
        if line:
            progress.say(line)
