"""A port that is free, and the promise that no process of a test outlives it."""

import os
import signal
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.support.arms import living


@pytest.fixture
def port() -> int:
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


@pytest.fixture(autouse=True)
def _nothing_outlives(tmp_path: Path) -> Iterator[None]:
    yield
    left = living(tmp_path)
    for one in left:
        with suppress(ProcessLookupError):
            os.kill(one.pid, signal.SIGKILL)
    assert not left, f"left running: {[one.argv for one in left]}"
