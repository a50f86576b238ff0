"""What the tests of scanning share."""

import pytest
from tests.support.scanned import READERS, SIGNATURES

from sparktune.logs import scan


@pytest.fixture
def own_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read with readers and signatures of the tests' own, so that no real one decides what is expected."""
    monkeypatch.setattr(scan, "all_readers", lambda: READERS)
    monkeypatch.setattr(scan, "all_signatures", lambda: SIGNATURES)
