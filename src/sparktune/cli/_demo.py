"""Put ``sparktune demo`` together: a server, the bench flow, and what to make of the table."""

__all__ = ["run_command"]

import os
import sys
from pathlib import Path

from rich.console import Console

from sparktune.cli._bench import measure_and_show
from sparktune.cli._output import Output, raise_for, show
from sparktune.cli._progress import make_progress
from sparktune.flows.demo import DEMO_SLOTS, demo_workload
from sparktune.flows.order import BenchOrder
from sparktune.flows.progress import Progress
from sparktune.io.corpus import python_corpus
from sparktune.io.demo_server import find_model, serve
from sparktune.io.store.location import database_path
from sparktune.io.store.store import Store
from sparktune.model.result import RunResult
from sparktune.report.demo import reading

_LOG_NAME = "demo-server.log"
_NEXT = "your own server: sparktune bench http://HOST:PORT/v1 --concurrency 1,2,4"


def run_command(model: Path | None, output: Output, *, quiet: bool) -> None:
    """Run the demo to its end. Raises a SparktuneError, with the exit code, for what the user should know."""
    progress = make_progress(quiet=quiet)
    path = find_model(model)
    log = database_path().with_name(_LOG_NAME)
    with Store.open() as store:
        waiting = Console(stderr=True, quiet=quiet).status(f"llama.cpp is loading {path.name}")
        with serve(path, log=log, slots=DEMO_SLOTS, loading=waiting) as server:
            progress.say(f"llama.cpp serves {path.name} with one thread at {server.base_url} (its log: {log})")
            order = BenchOrder(
                base_url=server.base_url,
                workload=demo_workload(server.model),
                corpus=python_corpus(),
                argv=sys.argv,
                entropy=os.urandom(2),
            )
            result = measure_and_show(order, store, progress, lambda measured, _: _show(measured, output, progress))
    raise_for(result)


def _show(result: RunResult, output: Output, progress: Progress) -> None:
    show(result, output, resume_told=True)  # a run whose server ends with the demo cannot go on
    for line in (reading(result), _NEXT):
        if line:
            progress.say(line)
