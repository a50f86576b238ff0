"""Captured data beside the repository; a clone without it skips the tests that read it."""

from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2].parent / "shared"


def shared(relative: str) -> Path:
    """Return the path of captured data, or skip the calling test when it is not there."""
    path = _ROOT / relative
    if not path.exists():
        pytest.skip(f"captured data {relative} is not beside this clone")
    return path
