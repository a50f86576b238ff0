"""What the tests of ``sparktune guard`` share."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.guard_runs import MEMINFO, SLEEPER


@pytest.fixture
def host(tmp_path: Path) -> Path:
    """A host that shows only its memory."""
    tree = tmp_path / "spark1"
    (tree / "proc").mkdir(parents=True)
    (tree / "proc/meminfo").write_text(MEMINFO)
    return tree


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    """An engine that holds on until it is ended."""
    process = subprocess.Popen(SLEEPER)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
