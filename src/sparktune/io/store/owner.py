"""Who works on an experiment: one living process at a time, known by a lock that dies with it."""

__all__ = ["owned"]

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sparktune.errors import StoreError
from sparktune.io.store.faults import store_faults
from sparktune.io.store.spool import lock


@contextmanager
def owned(database: Path, experiment_id: str) -> Iterator[None]:
    """Own an experiment inside the block. Raises StoreError when a living process owns it already."""
    path = database.with_name(f"{database.name}.ab-{experiment_id}")
    with store_faults(path):
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if not lock(file):
            message = f"experiment {experiment_id} is worked on by another process"
            raise StoreError(message, hint="wait until it ends, or stop it with Ctrl-C: it brings everything back")
        try:
            yield
        finally:
            path.unlink(missing_ok=True)
    finally:
        os.close(file)
