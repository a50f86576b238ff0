"""The fixture that keeps pure tests pure can itself fail a test."""

import asyncio
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    "reach",
    [
        lambda: subprocess.run([sys.executable, "-c", ""], check=True),
        lambda: os.fork(),
        lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM),
        lambda: socket.create_connection(("127.0.0.1", 9)),
        lambda: time.sleep(0.001),
    ],
    ids=["subprocess", "fork", "socket", "connection", "sleep"],
)
def test_pure_tests_cannot_reach_the_world(reach: Callable[[], object]) -> None:
    with pytest.raises(pytest.fail.Exception, match="reached for the world"):
        reach()


def test_an_event_loop_is_allowed() -> None:
    assert asyncio.run(asyncio.sleep(0, "done")) == "done"


def test_the_store_of_a_test_is_its_own(tmp_path: Path) -> None:
    """A test that wrote into the user's store would mix invented runs into real ones."""
    assert Path(os.environ["SPARKTUNE_DATA"]).parent == tmp_path
