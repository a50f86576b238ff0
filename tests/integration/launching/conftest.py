"""A port that is free, and the promise that no process of a test outlives it."""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.support.arms import living
from tests.support.ports import free_port


@pytest.fixture
def port() -> int:
    """A port that nobody listens on."""
    return free_port()


@pytest.fixture(autouse=True)
def _nothing_outlives(tmp_path: Path) -> Iterator[None]:
    yield
    left = living(tmp_path)
    for one in left:
        with suppress(ProcessLookupError):
            os.kill(one.pid, signal.SIGKILL)
    assert not left, f"left running: {[one.argv for one in left]}"
