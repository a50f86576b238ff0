"""Who works on an experiment, and at which place: one living process at a time, known by a lock that dies with it."""

__all__ = ["at_places", "owned", "owner_of"]

import fcntl
import hashlib
import os
import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from sparktune.errors import SparktuneError, StoreError, UsageError
from sparktune.io.store.faults import store_faults
from sparktune.io.store.spool import lock

_LONGEST = 400
_HASH_LETTERS = 16
_WAIT = "wait until it ends, or stop it with Ctrl-C: it brings everything back"


@contextmanager
def owned(database: Path, experiment_id: str) -> Iterator[None]:
    """Own an experiment inside the block. Raises StoreError when a living process owns it already."""

    def taken(_holder: str) -> StoreError:
        return StoreError(f"experiment {experiment_id} is worked on by another process", hint=_WAIT)

    with _locked(_of_experiment(database, experiment_id), _process(), taken):
        yield


@contextmanager
def at_places(database: Path, name: str, places: Iterable[str]) -> Iterator[None]:
    """Be the only one that works at some places, a server or a part of a service, inside the block.

    Raises UsageError, with the name of the other, where a living process works at one of them. Locks are taken in one
    order, so that of two that begin at once one goes on.
    """

    def taken(holder: str) -> UsageError:
        return UsageError(f"{holder or 'another experiment'} is running at {place}", hint=_WAIT)

    with ExitStack() as stack:
        for place in sorted(set(places)):
            stack.enter_context(_locked(_at(database, place), f"{name} ({_process()})", taken))
        yield


def owner_of(database: Path, experiment_id: str) -> str:
    """Return which living process works on an experiment, ``pid N on HOST``; "" when none does."""
    return _holder(_of_experiment(database, experiment_id))


def _of_experiment(database: Path, experiment_id: str) -> Path:
    return database.with_name(f"{database.name}.ab-{experiment_id}")


def _at(database: Path, place: str) -> Path:
    digest = hashlib.sha256(place.encode("utf-8", "surrogateescape")).hexdigest()
    return database.with_name(f"{database.name}.at-{digest[:_HASH_LETTERS]}")


def _process() -> str:
    return f"pid {os.getpid()} on {socket.gethostname()}"


@contextmanager
def _locked(path: Path, words: str, taken: Callable[[str], SparktuneError]) -> Iterator[None]:
    """Hold a lock file that says who holds it; raises ``taken``, of those words, where a living process does."""
    with store_faults(path):
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if not lock(file):
            raise taken(_said(file))
        with store_faults(path):
            os.ftruncate(file, 0)
            os.pwrite(file, words.encode(), 0)
        try:
            yield
        finally:
            path.unlink(missing_ok=True)
    finally:
        os.close(file)


def _holder(path: Path) -> str:
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _said(file) or "another process"
    except OSError:
        return ""
    finally:
        os.close(file)
    return ""


def _said(file: int) -> str:
    return os.pread(file, _LONGEST, 0).decode("utf-8", "replace")
