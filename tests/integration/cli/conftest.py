"""What the tests of ``sparktune host`` share."""

import shutil
from pathlib import Path

import pytest
from tests.support.cli import run_sparktune


@pytest.fixture(scope="module")
def fresh_lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A practice cluster that no test changes."""
    folder = tmp_path_factory.mktemp("host") / "lab"
    done = run_sparktune("lab", "init", str(folder))
    assert done.code == 0, done.err
    return folder


@pytest.fixture
def lab(fresh_lab: Path, tmp_path: Path) -> Path:
    """A practice cluster of two nodes; both run inference that the profile would leave with the slow cores."""
    return shutil.copytree(fresh_lab, tmp_path / "lab", symlinks=True)
