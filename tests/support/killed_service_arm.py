"""Set an arm of a service that ran before, and die in the middle: ``killed_service_arm.py FOLDER PORT AT``.

At the AT-th record this process kills itself with SIGKILL, after the record was kept (FOLDER/record.json). With AT 0 it
lives to its end, and FOLDER/ended holds how many records there were.
"""

import asyncio
import sys
from pathlib import Path

from tests.support.arms import hold_settings
from tests.support.killed_hold import Deadly
from tests.support.service_arm import Service

from sparktune.io.launching.hold import Hold


async def _main(folder: Path, port: int, at: int) -> None:
    service = Service(folder=folder, port=port)
    deadly = Deadly(folder, at, "after")
    hold = Hold(hold_settings(folder, port, memory_still_s=0.2), remember=deadly)
    hold.keep_original(service.original(), begins=True)
    await hold.perform(service.stop())
    plan = service.plan(4)
    await hold.set_arm("B", plan)
    reading = await hold.read_live(plan)
    if not reading.ok:
        raise SystemExit(reading.why)
    await hold.release()
    (folder / "ended").write_text(str(deadly.count))


if __name__ == "__main__":
    asyncio.run(_main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
