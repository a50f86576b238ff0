"""What holds for every test: no test touches the user's data, pure tests touch nothing, no test depends on speed."""

import gc
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import HealthCheck, settings
from tests.support.own_transactions import left_applied, names_there, take_back

_PURE = ("unit", "cases")
_HERE = Path(__file__).parent

# A deadline measures the machine, not the code. "thorough" is for make test-slow.
_SLOW_IS_FINE = (HealthCheck.too_slow,)
settings.register_profile("local", deadline=None, suppress_health_check=_SLOW_IS_FINE, max_examples=40)
settings.register_profile("ci", settings.get_profile("local"), derandomize=True)
settings.register_profile("thorough", settings.get_profile("local"), max_examples=400)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "local"))

# Some machines forbid bytecode to be written: then each process that a test starts would compile the program anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip tests that change the machine's network unless they were asked for, and can be run."""
    asked = "root" in config.getoption("markexpr")
    if asked and os.geteuid() == 0:
        return
    why = "needs root" if asked else "needs root, run it with: make test-system"
    for item in items:
        if "root" in item.keywords:
            item.add_marker(pytest.mark.skip(reason=why))


def pytest_collection_finish() -> None:
    """Leave out of every later collection what importing the tests has made: one then takes milliseconds."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _all_is_closed(request: pytest.FixtureRequest) -> Iterator[None]:
    """Blame the test that leaves a socket or a child open, or one just after it, not whichever the collector runs in.

    By its name it is the first of the fixtures, and so the last that ends.
    """
    yield
    if request.path.relative_to(_HERE).parts[0] not in _PURE:
        gc.collect()


@pytest.fixture(autouse=True)
def _own_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the user's store, and secrets in the environment, out of every test and of the programs it starts."""
    monkeypatch.setenv("SPARKTUNE_DATA", str(tmp_path / "sparktune-data"))
    for name in [name for name in os.environ if name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
    # A library that draws on a screen may leave its size behind, and then what is printed folds.
    for name in ("COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def _own_transactions(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[None]:
    """Take back what a test of root's has applied to files of its own on this machine, and leaves so on purpose."""
    pure = request.path.relative_to(_HERE).parts[0] in _PURE
    before = names_there() if not pure and os.geteuid() == 0 else None
    yield
    if before is not None and (new := names_there() - before):
        take_back(left_applied(new, tmp_path))


@pytest.fixture(autouse=True)
def _no_world(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail a pure test that opens a socket, starts a process or sleeps: then it is no unit test, or no pure code."""
    if request.path.relative_to(_HERE).parts[0] not in _PURE:
        return
    open_socket = socket.socket.__init__

    def refuse(*arguments: object, **options: object) -> NoReturn:
        pytest.fail(f"a pure test reached for the world: {arguments} {options}")

    def refuse_network(self: socket.socket, family: int = -1, *rest: int, **options: int) -> None:
        # A local pair stays allowed: an event loop wakes itself up through one.
        if family != socket.AF_UNIX:
            refuse(family, *rest)
        open_socket(self, family, *rest, **options)

    monkeypatch.setattr(socket.socket, "__init__", refuse_network)
    monkeypatch.setattr(subprocess.Popen, "_execute_child", refuse)
    for name in ("fork", "forkpty", "posix_spawn", "posix_spawnp", "system"):
        monkeypatch.setattr(os, name, refuse)
    monkeypatch.setattr(time, "sleep", refuse)
