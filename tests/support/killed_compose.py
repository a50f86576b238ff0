"""Set arm B of a compose service and die in the middle: ``killed_compose.py FOLDER PORT AT``.

At the AT-th record this process kills itself with SIGKILL, right after the record is kept in FOLDER/record.json. The
service's files are in FOLDER/service; FOLDER/ended is written when it lives to its end.
"""

__all__ = ["ARMS", "WHERE"]

import asyncio
import json
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.support.arms import hold_settings
from tests.support.service_arms import planner_of

from sparktune.io.launching.hold import Hold

ARMS = {"A": {}, "B": {"env": {"LIMIT": 2, "DEPTH": 8}, "flags": {"--slots": 4}}}
WHERE = [{"node": "", "service": "server"}]


async def _main(folder: Path, port: int, at: int) -> None:
    count = 0

    def remember(record: Mapping[str, Any]) -> None:
        nonlocal count
        count += 1
        draft = folder / "record.new"
        draft.write_text(json.dumps(record))
        draft.replace(folder / "record.json")
        if count == at:
            os.kill(os.getpid(), signal.SIGKILL)

    settings = hold_settings(folder, port)
    planner = await planner_of("compose", ARMS, WHERE, settings)
    hold = Hold(settings, remember=remember)
    original = hold.keep_original(planner.original(), begins=True)
    await hold.perform(planner.begin())
    await hold.set_arm("B", planner.plan("B"))
    await hold.release()
    await hold.perform(original)
    (folder / "ended").write_text(str(count))


if __name__ == "__main__":
    asyncio.run(_main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
