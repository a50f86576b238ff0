"""The part of a trial under load: an experiment of ``sparktune ab`` with the launcher for running machines."""

__all__ = [
    "TrialLoad",
    "endpoint_of",
    "experiment_of",
    "held_under_load",
    "measure_load",
    "unended_load",
    "why_no_load",
]

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparktune.bench.cells import parse_numbers
from sparktune.cli._ab.run import run_values
from sparktune.cli._experiment_options import ExperimentOptions
from sparktune.cli._place.scan import ScanArguments, server_of
from sparktune.experiment.idle_trial import IdleTrial
from sparktune.experiment.load_cost import MOST_LOST, LoadCost, cost_of
from sparktune.io.cluster import LOCAL
from sparktune.io.store.owner import owner_of
from sparktune.io.store.store import Store
from sparktune.model.experiment_row import ExperimentState
from sparktune.report.place.trial_words import thread_words

_TTFT_MARGIN = 0.10
_KNOB = "cores of "
_LISTED = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialLoad:
    """The server, what is sent, and how it is reached, as the flags say; "" and None are "not given"."""

    endpoint: str = ""
    service: str = ""
    idle_only: bool = False
    workload: str = ""
    prompt_tokens: str = ""
    output_tokens: str = ""
    trials: int | None = None
    model: str = ""
    api_key_file: Path | None = None
    settle_s: float | None = None


def endpoint_of(load: TrialLoad) -> str:
    """Return the server, as ``place scan`` finds it; "" without one. Raises UsageError."""
    return server_of(ScanArguments(endpoint=load.endpoint, service=load.service))


def why_no_load(load: TrialLoad, endpoint: str) -> str:
    """Return why nothing is measured under load, "" when it is."""
    if load.idle_only:
        return "--idle-only"
    return "" if endpoint else "no --endpoint and no --service"


def measure_load(trial: IdleTrial, load: TrialLoad, *, blocks: int, quiet: bool) -> LoadCost:
    """Run the experiment and return what it shows. Raises as ``run_values``."""
    options = ExperimentOptions(yes=True, quiet=quiet, api_key_file=load.api_key_file)
    return cost_of(run_values(values_of_load(trial, load, blocks), options))


def held_under_load(store: Store) -> tuple[str, ...]:
    """Return the experiments of trials that hold something and that no living process works on, by their ids."""
    return tuple(
        row.id
        for row in store.list_experiments(_LISTED)
        if row.holds and row.knob.startswith(f"{_KNOB}tid ") and not owner_of(store.path, row.id)
    )


def experiment_of(store: Store, trial: IdleTrial) -> str:
    """Return the experiment under load that was begun for a trial and did not come back to it, "" for none.

    It has the trial's seed, which is drawn by chance.
    """
    for row in store.list_experiments(_LISTED):
        if row.knob == _knob(trial) and row.created_wall_s >= trial.created_wall_s:
            experiment = store.load_experiment(row.id)
            if experiment.seed == trial.seed:
                return experiment.id
    return ""


def unended_load(store: Store, experiment: str) -> tuple[str, bool]:
    """Return an experiment when it can be resumed, "" else; and whether it still holds something."""
    if not experiment or owner_of(store.path, experiment):
        return "", False
    row = store.experiment_row(experiment)
    return ("" if row.state is ExperimentState.DONE else experiment), row.holds


def _knob(trial: IdleTrial) -> str:
    return f"{_KNOB}{thread_words(trial)}"


def values_of_load(trial: IdleTrial, load: TrialLoad, blocks: int) -> dict[str, Any]:
    """Return the experiment as a file would say it: arm B is the thread moved, and arm A the machine as it is."""
    thread = trial.thread
    step: dict[str, Any] = {
        "node": "" if trial.node == LOCAL else trial.node,
        "kind": "affinity",
        "tasks": [{"pid": thread.pid, "tid": thread.tid, "start_time": thread.start_ticks}],
        "cpus": list(trial.cpus),
    }
    values: dict[str, Any] = {
        **({"service": load.service} if load.service else {"url": trial.endpoint}),
        "name": "a thread as it is against the thread moved",
        "launcher": "hot",
        "knob": _knob(trial),
        "a": {},
        "b": {"steps": [step]},
        "primary": "output_tok_s",
        "margin": MOST_LOST,
        "equivalence": MOST_LOST,
        "guards": [f"decode_tok_s:{MOST_LOST}", f"ttft_s:{_TTFT_MARGIN}"],
        "max_blocks": blocks,
        "seed": trial.seed,
    }
    if load.settle_s is not None:
        values["settle_s"] = load.settle_s
    if trial.node != LOCAL:
        values["nodes"] = [trial.node]
    workload = _workload(load)
    return {**values, "workload": workload} if workload else values


def _workload(load: TrialLoad) -> dict[str, Any]:
    asked: dict[str, Any] = {"from": load.workload} if load.workload else {}
    for name, text in (("prompt_tokens", load.prompt_tokens), ("output_tokens", load.output_tokens)):
        if text:
            asked[name] = list(parse_numbers(text, flag=f"--{name.replace('_', '-')}", smallest=1))
    if load.trials is not None:
        asked["trials"] = load.trials
    if load.model:
        asked["model"] = load.model
    return asked
