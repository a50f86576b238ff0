"""One experiment at a time at a server, and on a service: two would take each other's arms for the original."""

__all__ = ["alone_at", "refuse_leftovers"]

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from sparktune.errors import StoreError, UsageError
from sparktune.experiment.plan import Experiment
from sparktune.io.store.store import Store

_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_PATHS: Final = frozenset({"file", "recipe"})


@contextmanager
def alone_at(store: Store, experiment: Experiment) -> Iterator[None]:
    """Be the only one that works at the server of an experiment, and on its service, inside the block.

    Raises UsageError, with the name of the other, while another that uses this store works at one of them.
    """
    kind = "sweep" if experiment.sweep else "experiment"
    with store.at_places(f"{kind} {experiment.id}", _places(experiment)):
        yield


def refuse_leftovers(store: Store, experiment: Experiment, own: Collection[str] = ()) -> None:
    """Refuse to measure beside what a killed experiment left at the same server or service; ``own`` are ids to go by.

    Raises UsageError with the command that takes it back, and StoreError for a record there that cannot be read.
    """
    ours = set(_places(experiment))
    for held_by, base_url in store.holding():
        if held_by in own:
            continue
        try:
            other = store.load_experiment(held_by)
        except StoreError:
            if _server(base_url) in ours:
                raise
            continue
        if ours & set(_places(other)):
            message = f"experiment {held_by} was killed, and what it started or applied is still there"
            raise UsageError(message, hint=f"first: {other.command} resume {held_by} --restore-only")


def _places(experiment: Experiment) -> tuple[str, ...]:
    """Return the server and the parts of the service as people would name them, the same place in the same words."""
    parts = (_part(part, experiment.folder) for part in experiment.where)
    return (_server(experiment.base_url), *parts)


def _server(base_url: str) -> str:
    host = urlsplit(base_url).hostname or ""
    return base_url.replace("[::1]", "127.0.0.1").replace("localhost", "127.0.0.1") if host in _LOOPBACK else base_url


def _part(part: Mapping[str, Any], folder: str) -> str:
    """Return a part of a service; a file of this machine is the same from whichever folder it is named."""
    node = str(part.get("node") or "")
    named = {key: str(value) for key, value in part.items() if key != "node"}
    if not node:
        named |= {key: str(Path(folder, named[key])) for key in _PATHS & set(named)}
    words = ", ".join(f"{key} {value}" for key, value in sorted(named.items()))
    return f"{words} on {node or 'this machine'}"
