"""Which server and which cells are meant: from flags, from ``sparktune.yaml``, or from an earlier run."""

__all__ = ["Choice", "choose"]

from dataclasses import dataclass
from pathlib import Path

from sparktune.bench.corpus import Corpus
from sparktune.cli._bench_arguments import SHAPES, BenchArguments, cells_of
from sparktune.errors import UsageError
from sparktune.io.config import CONFIG_NAME, Config, find_config, load_config
from sparktune.model.cell import Cell
from sparktune.model.run import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Where to measure and what; None where nothing was said. ``corpus`` is that of own prompts."""

    endpoint: str
    cells: tuple[Cell, ...]
    trials: int
    corpus: Corpus | None = None
    model: str | None = None
    api_key_env: str | None = None
    api_key_file: Path | None = None


def choose(arguments: BenchArguments, earlier: Run | None, folder: Path) -> Choice:
    """Return what is meant: a URL before a service, a service before the only one; a workload before the lists.

    The configuration is read only where the flags leave something open. Raises UsageError when nothing names a server.
    """
    named = arguments.service or ("" if arguments.trace else arguments.workload)
    config = _load(folder, named) if named or not (arguments.url or earlier) else None
    cells, corpus, trials = _cells(arguments, config)
    if arguments.url and not arguments.service:
        return Choice(endpoint=arguments.url, cells=cells, trials=trials, corpus=corpus)
    if config is None or (earlier is not None and not arguments.service):
        return Choice(endpoint=earlier.base_url if earlier else "", cells=cells, trials=trials, corpus=corpus)
    service = config.service(arguments.service or None)
    return Choice(
        endpoint=arguments.url or service.endpoint,
        cells=cells,
        trials=trials,
        corpus=corpus,
        model=service.model,
        api_key_env=service.api_key_env,
        api_key_file=config.key_file(service),
    )


def _load(folder: Path, named: str) -> Config:
    path = find_config(folder)
    if path is None and named:
        message = f"{named!r} is to be looked up, and no {CONFIG_NAME} is in this folder or above it"
        raise UsageError(message, hint="write one with: sparktune init; or leave --service and --workload out")
    if path is None:
        message = f"no server is named, and no {CONFIG_NAME} is in this folder or above it"
        raise UsageError(message, hint="give the server's address: sparktune bench http://HOST:8000/v1")
    return load_config(path)


def _cells(arguments: BenchArguments, config: Config | None) -> tuple[tuple[Cell, ...], Corpus | None, int]:
    if arguments.trace:
        # What was recorded is sent once, as it came: unlike a wave of equal requests it is long, and its own warm-up.
        return *cells_of(arguments), arguments.trials if "trials" in arguments.given else 1
    if not arguments.workload or config is None:
        return *cells_of(arguments), arguments.trials
    shaped = sorted(f"--{name.replace('_', '-')}" for name in arguments.given & SHAPES)
    if shaped:
        message = f"--workload {arguments.workload} says what is sent, {', '.join(shaped)} cannot be set beside it"
        raise UsageError(message, hint="write it into the workload, or leave --workload out")
    cells, corpus = config.cells(arguments.workload)
    return cells, corpus, config.workload(arguments.workload).trials or arguments.trials
