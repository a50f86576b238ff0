"""Hosts and a node with a real systemd, for the system tests."""

from collections.abc import Iterator

import pytest
from tests.support.hosts import hosts
from tests.support.nspawn import BootedNode, booted_node, left_as_it_was

__all__ = ["booted", "hosts", "node"]


@pytest.fixture(scope="session")
def booted() -> Iterator[BootedNode]:
    """Boot one node for all tests: each leaves it as it was, which is what they are about."""
    with booted_node() as running:
        yield running


@pytest.fixture
def node(booted: BootedNode, monkeypatch: pytest.MonkeyPatch) -> Iterator[BootedNode]:
    """Lead the program to the node; afterwards nothing on it may differ from before."""
    monkeypatch.setenv("SPARKTUNE_SSH", booted.ssh)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(booted.folder))
    with left_as_it_was(booted):
        yield booted
