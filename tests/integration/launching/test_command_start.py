"""A command that does not become a server is told soon, with what it said, and nothing of it is left."""

import sys
from pathlib import Path

import pytest
from tests.support.arms import command_plan, hold_settings, living, server_command
from tests.support.ports import free_port

from sparktune.errors import ArmFailed, UsageError
from sparktune.io.launching import elsewhere
from sparktune.io.launching.hold import Hold


async def test_a_server_that_dies_while_starting_is_told_at_once(tmp_path: Path, port: int) -> None:
    """Nobody should wait for a quarter of an hour for a server that said why it cannot start."""
    hold = Hold(hold_settings(tmp_path, port), remember=lambda _record: None)
    dies = (
        "import sys; print('no such model: x.gguf'); print('sk' + '-' + 'abcdefghijkl', file=sys.stderr); sys.exit(3)"
    )

    with pytest.raises(ArmFailed) as failed:
        await hold.set_arm("B", command_plan([sys.executable, "-c", dies]))

    assert "exit code 3" in str(failed.value)
    assert "no such model: x.gguf" in str(failed.value)
    assert "sk-abc" not in str(failed.value)
    assert hold.state()["processes"][0]["state"] == "ended"


async def test_a_server_at_another_port_is_told_soon(
    tmp_path: Path, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong port in an arm's command would else be waited for for a quarter of an hour, with nothing to see."""
    monkeypatch.setattr(elsewhere, "_EVERY_S", 0.1)
    monkeypatch.setattr(elsewhere, "_LASTS_S", 0.3)
    other = free_port()
    hold = Hold(hold_settings(tmp_path, port), remember=lambda _record: None)

    with pytest.raises(ArmFailed) as failed:
        await hold.set_arm("B", command_plan(server_command(other)))

    assert f"serves on port {other}, the endpoint is 127.0.0.1:{port}" in str(failed.value)
    assert "name the same port" in failed.value.hint
    assert hold.state()["processes"][0]["state"] == "ended"


async def test_a_server_that_still_loads_elsewhere_is_waited_for_and_named_in_the_end(
    tmp_path: Path, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While it loads it may listen on ports of its workers: that alone is no mistake."""
    monkeypatch.setattr(elsewhere, "_EVERY_S", 0.1)
    monkeypatch.setattr(elsewhere, "_LASTS_S", 0.1)
    other = free_port()
    hold = Hold(hold_settings(tmp_path, port), remember=lambda _record: None)

    with pytest.raises(ArmFailed) as failed:
        await hold.set_arm("B", command_plan(server_command(other, "loading"), wait_s=5))

    assert "no token was generated within" in str(failed.value)
    assert f"listens on {other}, the endpoint is 127.0.0.1:{port}" in str(failed.value)


async def test_a_server_that_is_killed_while_starting_names_the_signal(tmp_path: Path, port: int) -> None:
    hold = Hold(hold_settings(tmp_path, port), remember=lambda _record: None)

    with pytest.raises(ArmFailed, match="signal 9; it said nothing"):
        await hold.set_arm("B", command_plan([sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]))


@pytest.mark.parametrize(("habit", "said"), [("silent", ""), ("loading", ""), ("", "nobody listens")])
async def test_a_server_that_never_generates_is_ended(tmp_path: Path, port: int, habit: str, said: str) -> None:
    """Health is not enough: a server that answers and has no model would be measured as a failure of the arm."""
    command = server_command(port, habit) if habit else [sys.executable, "-c", "import time; time.sleep(600)"]
    hold = Hold(hold_settings(tmp_path, port), remember=lambda _record: None)

    with pytest.raises(ArmFailed, match="no token was generated within") as failed:
        await hold.set_arm("B", command_plan(command, wait_s=1.5))

    assert said in str(failed.value)
    assert not living(tmp_path)


async def test_a_program_that_is_not_there(tmp_path: Path, port: int) -> None:
    hold = Hold(hold_settings(tmp_path, port), remember=lambda _record: None)

    with pytest.raises(ArmFailed, match="no-such-server cannot be started: No such file"):
        await hold.set_arm("B", command_plan(["no-such-server"]))
    with pytest.raises(ArmFailed, match=r"the folder .* is not there"):
        await hold.set_arm("B", command_plan([sys.executable], folder="not/there"))


async def test_a_command_that_goes_to_the_background_is_no_arm(tmp_path: Path, port: int) -> None:
    """Nobody would know what to stop; what it left is ended all the same."""
    starts = f"import subprocess; subprocess.Popen({server_command(port)!r}, start_new_session=True)"
    hold = Hold(hold_settings(tmp_path, port), remember=lambda _record: None)

    with pytest.raises(ArmFailed, match=r"exit code 0 .an arm's command has to stay in the foreground"):
        await hold.set_arm("B", command_plan([sys.executable, "-c", starts]))

    assert not living(tmp_path)


async def test_a_variable_that_is_not_set(tmp_path: Path, port: int) -> None:
    hold = Hold(hold_settings(tmp_path, port), remember=lambda _record: None)

    with pytest.raises(UsageError, match="NO_SUCH_VARIABLE, which a command of the experiment uses, is not set"):
        await hold.set_arm("B", command_plan([sys.executable, "${NO_SUCH_VARIABLE}"]))

    assert hold.state()["processes"] == []
