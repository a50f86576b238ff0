"""What is live is what the server, the kernel and commands say: not what was asked for."""

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support.arms import SERVER, arm_plan, hold_settings, server_command

from sparktune.io.launching.hold import Hold
from sparktune.io.launching.reading import LiveReading

Read = Callable[..., AbstractAsyncContextManager[LiveReading]]
_SLOTS = {"http": "/props", "keys": "total_slots", "A": 1, "B": 4}


@pytest.fixture
def read(tmp_path: Path, port: int) -> Read:
    """Set arm B to a command, hand out what is read of it, and release it."""

    @asynccontextmanager
    async def reading(command: list[str], live: dict[str, Any] | None = None, **arm: Any) -> AsyncIterator[LiveReading]:  # noqa: ANN401
        hold = Hold(hold_settings(tmp_path, port), remember=lambda _record: None)
        plan = arm_plan("command", {"A": {"command": ["x"]}, "B": {"command": command, **arm}}, live=live)
        await hold.set_arm("B", plan)
        try:
            yield await hold.read_live(plan)
        finally:
            await hold.release()

    return reading


async def test_a_knob_that_went_live(read: Read, port: int) -> None:
    async with read(server_command(port, "--slots", "4"), _SLOTS) as reading:
        assert reading.ok, reading.why
        assert reading.values["/props total_slots"] == "4"


async def test_a_knob_that_the_server_caps_did_not_go_live(read: Read, port: int) -> None:
    """The flag is on the command line, and the server does something else."""
    async with read(server_command(port, "--slots", "4", "--cap", "2"), _SLOTS) as reading:
        assert not reading.ok
        assert reading.why == "/props total_slots is 2, not 4"
        assert reading.values["/props total_slots"] == "2"
        assert reading.wanted["/props total_slots"] == "4"


@pytest.mark.parametrize(
    ("live", "why"),
    [
        ({"http": "/nothing", "keys": "a", "B": 1}, "GET /nothing answers 404"),
        ({"http": "/props", "keys": "nested.1.deep", "B": 1}, "the answer of /props has no nested.1"),
        ({"http": "/props", "keys": "nested.0.deep", "B": "false"}, "/props nested.0.deep is true, not false"),
        ({"command": ["false"], "B": 1}, "false: it ended with exit code 1"),
        ({"command": ["no-such-program"], "B": 1}, "it cannot be run: No such file"),
        ({"command": ["echo", "3"], "B": 4}, "echo 3 is 3, not 4"),
    ],
)
async def test_what_cannot_be_seen_is_not_live(read: Read, port: int, live: dict[str, Any], why: str) -> None:
    async with read(server_command(port), live) as reading:
        assert not reading.ok
        assert why in reading.why


async def test_a_command_sees_the_callers_variables(read: Read, port: int, tmp_path: Path) -> None:
    live = {"command": [sys.executable, "-c", "import os; print(os.environ['ARMS_TEST'])"], "B": str(tmp_path)}
    async with read(server_command(port), live) as reading:
        assert reading.ok, reading.why


async def test_a_wrapper_that_passes_everything_on(read: Read, port: int, tmp_path: Path) -> None:
    """A shell in front proves nothing: its server is read."""
    script = tmp_path / "run.sh"
    script.write_text(f'#!/bin/sh\n{sys.executable} {SERVER} "$@"\n')
    async with read(["sh", str(script), str(port), "--slots", "4"], _SLOTS, env={"KNOB": "2"}) as reading:
        assert reading.ok, reading.why
        assert reading.values["env KNOB"] == "2"
        assert str(SERVER) in reading.values["command"]
        assert ", started by pid " in reading.notes[0]


async def test_a_wrapper_that_hides_the_server_proves_nothing(read: Read, port: int, tmp_path: Path) -> None:
    """Without another reader nobody knows what such an arm is."""
    script = tmp_path / "run.sh"
    script.write_text(f"#!/bin/sh\n{sys.executable} {SERVER} {port} --slots 1\n")
    async with read(["sh", str(script), "--slots", "4"]) as reading:
        assert not reading.ok
        assert "its command line is not the arm's: a wrapper stands between" in reading.why
    async with read(["sh", str(script), "--slots", "4"], _SLOTS) as reading:
        assert not reading.ok
        assert reading.why == "/props total_slots is 1, not 4"


async def test_a_wrapper_that_changes_a_variable_is_seen(read: Read, port: int, tmp_path: Path) -> None:
    """The knob was set, and did not arrive."""
    script = tmp_path / "run.sh"
    script.write_text(f'#!/bin/sh\nexport KNOB=1\nunset OTHER\nexec {sys.executable} {SERVER} "$@"\n')
    async with read(["sh", str(script), str(port)], env={"KNOB": "4", "OTHER": "x"}) as reading:
        assert not reading.ok
        assert "KNOB is 1 in pid " in reading.why
        assert "OTHER is (not set) in pid " in reading.why


@pytest.mark.parametrize("form", ["shebang", "bash -c", "bash -c exec", "env", "nice"])
async def test_usual_ways_to_start_are_seen_through(read: Read, port: int, tmp_path: Path, form: str) -> None:
    server = [sys.executable, str(SERVER), str(port)]
    script = tmp_path / "serve"
    script.write_text(f"#!{sys.executable}\n{SERVER.read_text()}")
    script.chmod(0o755)
    commands = {
        "shebang": [str(script), str(port)],
        "bash -c": ["bash", "-c", " ".join(server)],
        "bash -c exec": ["bash", "-c", f"KNOB=2 exec {' '.join(server)}"],
        "env": ["env", "KNOB=2", *server],
        "nice": ["nice", "-n", "1", *server],
    }
    async with read(commands[form]) as reading:
        assert reading.ok, (reading.why, reading.values)
