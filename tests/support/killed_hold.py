"""Hold arm B and die in the middle: ``killed_hold.py FOLDER PORT KIND AT WHEN``.

At the AT-th record this process kills itself with SIGKILL, ``before`` the record is kept or ``after`` it. Records are
kept in FOLDER/record.json, whole or not at all; FOLDER/ended is written when it lives to its end. KIND is ``command``,
``switch`` or ``hot`` (FOLDER/node is then the node).
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.support.arms import arm_plan, hold_settings, server_command

from sparktune.io.cluster import NodeTarget
from sparktune.io.launching.hold import Hold

HOT_STEP = {"kind": "value", "path": "/proc/sys/vm/swappiness", "text": "7"}


def arms_of(kind: str, folder: Path, port: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return arms and live of a kind."""
    if kind == "command":
        return {arm: {"command": server_command(port, "--slots", "4" if arm == "B" else "1")} for arm in "AB"}, {}
    if kind == "hot":
        return {"A": {}, "B": {"steps": [HOT_STEP]}}, {}
    state = folder / "state"
    switch = "import sys, pathlib; pathlib.Path(sys.argv[1]).write_text(sys.argv[2])"
    arms = {arm: {"switch": [sys.executable, "-c", switch, str(state), arm]} for arm in "AB"}
    return arms, {"command": ["cat", str(state)], "A": "A", "B": "B"}


class Deadly:
    """Keep records, and die at one of them."""

    def __init__(self, folder: Path, at: int, when: str) -> None:
        """Die at the AT-th record, ``before`` it is kept or ``after`` it; 0 is never."""
        self._path, self._at, self._when, self.count = folder / "record.json", at, when, 0

    def __call__(self, record: Mapping[str, Any]) -> None:
        """Keep one."""
        self.count += 1
        if self.count == self._at and self._when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        draft = self._path.with_suffix(".new")
        draft.write_text(json.dumps(record))
        draft.replace(self._path)
        if self.count == self._at:
            os.kill(os.getpid(), signal.SIGKILL)


async def _main(folder: Path, port: int, kind: str, at: int, when: str) -> None:
    arms, live = arms_of(kind, folder, port)
    launcher = "attach" if kind == "switch" else kind
    settings = hold_settings(folder, port, nodes={"": NodeTarget(name="node", root=folder / "node")})
    hold = Hold(settings, remember=Deadly(folder, at, when))
    plan = arm_plan(launcher, arms, "B", live)
    await hold.set_arm("B", plan)
    reading = await hold.read_live(plan)
    if not reading.ok:
        raise SystemExit(reading.why)
    await hold.release()
    (folder / "ended").write_text("")


if __name__ == "__main__":
    asyncio.run(_main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], int(sys.argv[4]), sys.argv[5]))
