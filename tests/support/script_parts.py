"""The script launcher on a service that was really started by hand; see ``launcher_parts``."""

__all__ = ["script_parts"]

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.arms import hold_settings
from tests.support.by_hand import KNOB, HandMade, hand_made
from tests.support.launcher_parts import Parts, Shared

from sparktune.model.launcher import ArmSpec

_PATIENCE_S = 30.0
_LOOK_S = 0.05


@contextmanager
def script_parts(folder: Path, port: int, _shared: Shared) -> Iterator[Parts]:
    """A server with a knob in its file of variables; it ran with 1 before."""
    made = hand_made(folder / "srv", port)
    _start(made)

    def killed() -> None:
        made.end()
        _until(lambda: not made.pids())

    def anew() -> None:
        killed()
        _start(made)

    def other() -> None:
        before = made.variables.read_text()
        made.variables.write_text(before.replace(f"{KNOB}=4", f"{KNOB}=5"))
        anew()
        made.variables.write_text(before)

    yield Parts(
        launcher="script",
        spec=ArmSpec(arms={"A": {}, "B": {"env": {KNOB: 4}}}, where=(made.where(),)),
        settings=hold_settings(folder / "srv", port, memory_still_s=0.2),
        tells=KNOB,
        alive=made.pids,
        sabotage={"it died": killed, "it was started anew": anew, "it was started with another value": other},
        never_ready={"flags": {"--cap": "none"}, "wait_s": 3},
        files=(made.variables, made.folder / "serve.sh"),
        ran_before=True,
        said="",
    )
    made.end()


def _start(made: HandMade) -> None:
    """Start it, and wait until it listens: a service that does not is taken for one that does not run."""
    made.start()
    _until(lambda: _listens(made.port))


def _listens(port: int) -> bool:
    with socket.socket() as asking:
        return asking.connect_ex(("127.0.0.1", port)) == 0


def _until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + _PATIENCE_S
    while not holds():
        assert time.monotonic() < until
        time.sleep(_LOOK_S)
