"""A child that is not wanted any more while it starts or ends: nothing of it stays, whenever that happens.

Left to the collector, its pipes would be closed after the loop has ended, with a warning on a user's terminal.
"""

import asyncio
import gc
import sys
from pathlib import Path

import pytest

from sparktune.io.transport.child import start_child


@pytest.mark.parametrize("turns", range(8))
async def test_cancelled_while_it_starts_it_is_ended_and_closed(turns: int, tmp_path: Path) -> None:
    mark = f"not-wanted-{tmp_path}"
    task = asyncio.create_task(start_child(_sleeping(mark)))
    await _turn(turns)

    if task.done():
        await task.result().close(0.0)
    else:
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    gc.collect()

    assert not _running(mark)


@pytest.mark.parametrize("turns", range(1, 5))
async def test_cancelled_while_it_is_closed_its_end_is_seen(turns: int, tmp_path: Path) -> None:
    mark = f"not-waited-for-{tmp_path}"
    child = await start_child(_sleeping(mark))
    task = asyncio.create_task(child.close(60.0))
    await _turn(turns)

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert child.code is not None, "nobody would take its exit code later"
    assert not _running(mark)


def _sleeping(mark: str) -> list[str]:
    return [sys.executable, "-c", "import time; time.sleep(600)", mark]


async def _turn(times: int) -> None:
    for _ in range(times):
        await asyncio.sleep(0)


def _running(mark: str) -> list[Path]:
    return [one for one in Path("/proc").glob("[0-9]*/cmdline") if mark.encode() in _read(one)]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
