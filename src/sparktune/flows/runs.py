"""Look at runs again: find one, rebuild its result, hand out what was recorded."""

__all__ = ["export_raw", "find_run"]

from typing import TextIO

from sparktune.io.store.store import Store
from sparktune.model.run import Run
from sparktune.report.bench.raw import raw_lines


def find_run(store: Store, prefix: str) -> Run:
    """Return the run that is meant, the newest for "" and ``last``. Raises UnknownRun and UsageError."""
    return store.load_run(prefix) if prefix else store.newest_run()


def export_raw(store: Store, run: Run, file: TextIO) -> None:
    """Write every recorded wave of the run as JSON lines; one wave is in memory at a time."""
    for line in raw_lines(run, store.trials(run.id)):
        file.write(line)
        file.write("\n")
