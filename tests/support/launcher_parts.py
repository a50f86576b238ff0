"""What a launcher needs to be held to its contract on real parts: an adapter per launcher, each a context manager.

``tests/contract/launchers`` does the same with all of them. A new launcher adds ``NAME_parts(folder, port, shared)`` in
a module of its own and names it there, one that needs root as ``pytest.param(NAME_parts, marks=pytest.mark.root)``.
"""

__all__ = ["Parts", "Shared", "attach_parts", "command_parts"]

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from tests.support.arms import hold_settings, living, server_command

from sparktune.io.launching.settings import HoldSettings
from sparktune.model.launcher import ArmSpec

_T = TypeVar("_T")
_SWITCH = Path(__file__).parent / "switch_server.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """A launcher on real parts. Arm A serves one slot, arm B four; arm C of ``never_ready`` never generates a token.

    ``tells`` is how the name ends under which a reading has the setting, ``slots`` what it says of each arm.
    ``sabotage`` is done to the service while arm B is set, by what it stands for; nothing of it may be taken for arm B
    as it was. ``alive`` are the processes of the service, ``files`` what an arm may change. ``ran_before``: something
    ran, and has to run again in the end. ``kills``: the launcher can end the service at once. ``said`` is in a log that
    is kept of each visit, "" where others have it.
    """

    launcher: str
    spec: ArmSpec
    settings: HoldSettings
    tells: str
    alive: Callable[[], Collection[int]]
    sabotage: Mapping[str, Callable[[], None]]
    never_ready: Mapping[str, Any]
    files: tuple[Path, ...] = ()
    ran_before: bool = False
    kills: bool = True
    said: str = "listening on"
    slots: Mapping[str, str] = field(default_factory=lambda: {"A": "1", "B": "4"})


class Shared:
    """What all tests of a module have together: a daemon that takes long to start is started once."""

    def __init__(self, stack: ExitStack) -> None:
        """Keep where things are ended in the end."""
        self._stack, self._made = stack, dict[Any, Any]()

    def of(self, make: Callable[[], AbstractContextManager[_T]]) -> _T:
        """Return what a context manager gives; it is entered at the first call."""
        if make not in self._made:
            self._made[make] = self._stack.enter_context(make())
        found: _T = self._made[make]
        return found


def _servers(folder: Path) -> list[int]:
    return [one.pid for one in living(folder) if any(word.endswith("arm_server.py") for word in one.argv)]


def _end(folder: Path) -> None:
    for pid in _servers(folder):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@contextmanager
def command_parts(folder: Path, port: int, _shared: Shared) -> Iterator[Parts]:
    """A server per arm, started by its command."""

    def arm(slots: int, *habits: str) -> dict[str, Any]:
        return {"command": server_command(port, "--slots", str(slots), *habits), "env": {"KNOB": str(slots)}}

    def replaced() -> None:
        _end(folder)
        _switch(folder, port, "1")

    yield Parts(
        launcher="command",
        spec=ArmSpec(arms={"A": arm(1), "B": arm(4)}),
        settings=hold_settings(folder, port, terminate_s=5.0),
        tells="env KNOB",
        alive=lambda: _servers(folder),
        sabotage={"it died": lambda: _end(folder), "another one answers in its place": replaced},
        never_ready={**arm(4, "loading"), "wait_s": 3},
    )
    _end(folder)


@contextmanager
def attach_parts(folder: Path, port: int, _shared: Shared) -> Iterator[Parts]:
    """A server that a script of the user's switches; one with a slot ran before."""
    state = folder / "slots"

    def arm(*words: str) -> dict[str, Any]:
        return {"switch": _switch_command(folder, port, *words), "wait_s": 60}

    _switch(folder, port, "1")
    yield Parts(
        launcher="attach",
        spec=ArmSpec(
            arms={"A": arm("1"), "B": arm("4")},
            live={"slots": {"http": "/props", "keys": "total_slots", "A": "1", "B": "4"}},
        ),
        settings=hold_settings(folder, port),
        tells="slots",
        alive=lambda: _servers(folder),
        sabotage={
            "it died": lambda: _end(folder),
            "it was switched by somebody else": lambda: _switch(folder, port, "2"),
            "it took the value and resolved it away": lambda: _switch(folder, port, "4", "--cap", "3"),
        },
        never_ready={**arm("4", "loading"), "wait_s": 3},
        files=(state,),
        ran_before=True,
        kills=False,
        said="",
    )
    _end(folder)


def _switch_command(folder: Path, port: int, *words: str) -> list[str]:
    return [sys.executable, str(_SWITCH), str(folder), str(port), *words]


def _switch(folder: Path, port: int, *words: str) -> None:
    environment = {**os.environ, "ARMS_TEST": str(folder)}
    subprocess.run(_switch_command(folder, port, *words), check=True, env=environment)
