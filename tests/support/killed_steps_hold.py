"""Hold steps on a tree and die in the middle: ``killed_steps_hold.py FOLDER AT WHEN``.

As ``killed_hold.py``, for a hold with no server beside it. FOLDER/node is the node.
"""

import asyncio
import sys
from pathlib import Path

from tests.support.killed_hold import Deadly

from sparktune.io.cluster import NodeTarget
from sparktune.io.launching.steps_hold import StepsHold
from sparktune.model.step import AffinityStep, Task

__all__ = ["step_of"]


def step_of(root: Path) -> AffinityStep:
    """Return the step that moves the first thread of a tree."""
    stat = next(iter(sorted(root.glob("proc/[0-9]*/task/*/stat"))))
    start = int(stat.read_text().rpartition(")")[2].split()[19])
    task = Task(pid=int(stat.parts[-4]), tid=int(stat.parts[-2]), start_time=start)
    return AffinityStep(tasks=(task,), cpus=(6,))


async def _main(folder: Path, at: int, when: str) -> None:
    target = NodeTarget(name="node", root=folder / "node")
    hold = StepsHold(target, [step_of(folder / "node")], "somebody", Deadly(folder, at, when))
    await hold.set(applied=True)
    await hold.release()


if __name__ == "__main__":
    asyncio.run(_main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))
