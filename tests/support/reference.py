"""The reference server for tests: one process per test worker, its knobs set anew for every test.

Put the fixtures into a ``conftest.py`` by importing them there.
"""

__all__ = ["reference", "reference_process"]

from collections.abc import Iterator

import pytest

from sparktune.io.reference.knobs import Knobs
from sparktune.io.reference.process import ReferenceProcess

QUICK = Knobs(ttft_ms=20.0, itl_ms=2.0)
"""Short waits: what a test asserts never depends on them, only on the log."""


@pytest.fixture(scope="session")
def reference_process() -> Iterator[ReferenceProcess]:
    """Start the server once for this worker."""
    with ReferenceProcess(QUICK) as process:
        yield process


@pytest.fixture
def reference(reference_process: ReferenceProcess) -> ReferenceProcess:
    """Return the running server with quick knobs, an empty log, empty counters and an empty prefix cache."""
    reference_process.reset(QUICK)
    return reference_process
