"""Real servers and models for integration tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.tiny_gguf import write_tiny_model

from sparktune.io.demo_server import DemoServer, serve


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a real but tiny model with random weights."""
    return write_tiny_model(tmp_path_factory.mktemp("model") / "tiny.gguf")


@pytest.fixture(scope="module")
def llama_server(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DemoServer]:
    """A real llama.cpp server (4 slots of 8,192 tokens) that serves the tiny model under the name ``tiny``."""
    with serve(tiny_model, log=tmp_path_factory.mktemp("llama") / "server.log", context_tokens=8192) as server:
        yield server
