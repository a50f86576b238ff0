"""Arms of real child servers, and what is needed to hold them."""

__all__ = ["SERVER", "arm_plan", "bystander", "command_plan", "hold_settings", "living", "server_command"]

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from sparktune.deploy.launchers import all_launchers
from sparktune.io.launching.proc import Seen, all_seen
from sparktune.io.launching.settings import HoldSettings
from sparktune.model.launcher import ArmPlan, ArmSpec

SERVER = Path(__file__).parent / "arm_server.py"
_LAUNCHERS = {one.id: one for one in all_launchers()}
_WHOLE = 1 << 50  # other tests use memory, too


def hold_settings(folder: Path, port: int, **changes: Any) -> HoldSettings:  # noqa: ANN401 - fields of the settings
    """Return settings that are patient with a slow machine where nothing is expected, and not where something is."""
    given: dict[str, Any] = {
        "base_url": f"http://127.0.0.1:{port}/v1",
        "log_folder": folder / "logs",
        "work_folder": folder,
        # By this every process that a test starts is found, whatever it does to its session.
        "environment": {**os.environ, "ARMS_TEST": str(folder)},
        "memory_slack_bytes": _WHOLE,
        **changes,
    }
    return HoldSettings(**given)


def server_command(port: int, *words: str) -> list[str]:
    """Return the command of the server with bad habits."""
    return [sys.executable, str(SERVER), str(port), *words]


@asynccontextmanager
async def bystander(*command: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run a program that no arm started, from its first line on; its end is that of the block."""
    child = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    try:
        assert child.stdout is not None
        await child.stdout.readline()
        yield child
    finally:
        if child.returncode is None:
            child.kill()
        await child.communicate()


def arm_plan(launcher: str, arms: Mapping[str, Any], arm: str = "B", live: Mapping[str, Any] | None = None) -> ArmPlan:
    """Return the plan of an arm."""
    return _LAUNCHERS[launcher].plan(ArmSpec(arms=arms, live=live or {}), {}, arm)


def command_plan(command: list[str], **arm: Any) -> ArmPlan:  # noqa: ANN401 - settings of an arm
    """Return the plan of arm B, a command with these settings; arm A is the same with a word more."""
    return arm_plan("command", {"A": {"command": [*command, "a"]}, "B": {"command": command, **arm}})


def living(folder: Path) -> tuple[Seen, ...]:
    """Return every process that was started with the settings of this folder."""
    return tuple(one for one in all_seen() if f"ARMS_TEST={folder}" in (one.environment or ()))
