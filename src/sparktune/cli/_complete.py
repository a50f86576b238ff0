"""What a shell offers at a place of the command line: names that this machine knows; nothing is asked of a node.

A shell waits for these, so that each reads one file at most; what cannot be read offers nothing.
"""

__all__ = [
    "experiment_ids",
    "knob_names",
    "measured_ids",
    "node_names",
    "run_ids",
    "service_names",
    "sweep_ids",
    "trial_ids",
    "workload_names",
]

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sparktune.io.config import Config
    from sparktune.io.store.faults import Unreadable
    from sparktune.io.store.store import Store

_MOST: Final = 50


def knob_names(incomplete: str) -> list[str]:
    """Offer the knobs of the catalogue."""
    from sparktune.deploy.knobs import all_knobs

    return _beginning(incomplete, (knob.id for knob in all_knobs()))


def run_ids(incomplete: str) -> list[str]:
    """Offer the newest runs of the store."""
    return _stored(incomplete, lambda store, faults: [row.id for row in store.list_runs(_MOST, faults)])


def experiment_ids(incomplete: str) -> list[str]:
    """Offer the newest experiments of the store."""
    return _stored(incomplete, lambda store, faults: [row.id for row in store.list_experiments(_MOST, faults)])


def sweep_ids(incomplete: str) -> list[str]:
    """Offer the newest sweeps of the store."""
    return _stored(incomplete, lambda store, faults: [row.id for row in store.list_sweeps(_MOST, faults)])


def measured_ids(incomplete: str) -> list[str]:
    """Offer the newest experiments, then the newest runs of the store."""
    return [*experiment_ids(incomplete), *run_ids(incomplete)]


def trial_ids(incomplete: str) -> list[str]:
    """Offer the newest trials of a thread."""
    return _stored(incomplete, lambda store, _: list(store.idle_trials.newest_ids(_MOST)))


def node_names(incomplete: str) -> list[str]:
    """Offer the nodes of ``sparktune.yaml`` behind the last comma of a list."""
    before, comma, last = incomplete.rpartition(",")
    left = [
        name
        for name in _configured(lambda config: [node.name for node in config.nodes])
        if name not in before.split(",")
    ]
    return [f"{before}{comma}{name}" for name in _beginning(last, left)]


def service_names(incomplete: str) -> list[str]:
    """Offer the services of ``sparktune.yaml``."""
    return _beginning(incomplete, _configured(lambda config: list(config.services)))


def workload_names(incomplete: str) -> list[str]:
    """Offer the workloads of ``sparktune.yaml``."""
    return _beginning(incomplete, _configured(lambda config: list(config.workloads)))


def _configured(names: "Callable[[Config], list[str]]") -> list[str]:
    from pathlib import Path

    from sparktune.errors import SparktuneError
    from sparktune.io.config import find_config, load_config

    with suppress(SparktuneError):
        path = find_config(Path.cwd())
        return names(load_config(path)) if path is not None else []
    return []


def _stored(incomplete: str, ids: "Callable[[Store, Unreadable], list[str]]") -> list[str]:
    from sparktune.errors import SparktuneError
    from sparktune.io.store.faults import leave_out
    from sparktune.io.store.location import database_path
    from sparktune.io.store.store import Store

    if not database_path().exists():
        return []
    with suppress(SparktuneError), Store.open() as store:
        return _beginning(incomplete, ids(store, leave_out))
    return []


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
