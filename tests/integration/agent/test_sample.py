"""Watching a node: every tick has everything, on a schedule that does not drift, and ends when it is left."""

import os
from itertools import pairwise
from pathlib import Path

import pytest

from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.session import NodeSession
from sparktune.model.reads import CountLines, ReadCommand, ReadFile, ReadFiles
from sparktune.units import NS_PER_S

_HERE = NodeTarget(name="here")


async def test_ticks_keep_to_multiples_of_the_interval() -> None:
    """Late ones are counted as missed, and do not move those after them."""
    async with NodeSession(_HERE) as node:
        samples = [sample async for sample in node.sample([ReadFile(path="/proc/uptime")], interval_s=0.1, count=5)]

    first = samples[0]
    assert len(samples) == 5
    for before, sample in pairwise(samples):
        assert sample.tick == before.tick + 1 + sample.missed
        # never before its time, but for the rounding of clocks
        assert sample.monotonic_ns >= first.monotonic_ns + sample.tick * NS_PER_S // 10 - NS_PER_S // 1000
        assert sample.wall_ns > before.wall_ns
    assert {tuple(sample.texts) for sample in samples} == {("/proc/uptime",)}


async def test_what_changes_comes_and_goes_is_seen(tmp_path: Path) -> None:
    """Only changes travel, and yet each tick has all texts."""
    for name in ("same", "changes", "goes"):
        (tmp_path / name).write_text("1")
    sources = [ReadFiles(pattern=f"{tmp_path}/*"), ReadCommand(argv=("uname", "-s"))]
    seen: list[dict[str, str]] = []

    async with NodeSession(_HERE) as node:
        async for sample in node.sample(sources, interval_s=0.05):
            seen.append({Path(path).name: text for path, text in sample.texts.items()})
            (tmp_path / "changes").write_text("2")
            (tmp_path / "comes").write_text("3")
            (tmp_path / "goes").unlink(missing_ok=True)
            if "comes" in seen[-1]:
                break
        hello = await node.hello()

    assert seen[0] == {"same": "1", "changes": "1", "goes": "1", "uname -s": "Linux\n"}
    assert seen[-1] == {"same": "1", "changes": "2", "comes": "3", "uname -s": "Linux\n"}
    assert hello.protocol == 1, "who has stopped watching can ask something else"


async def test_a_process_that_ends_is_gone_from_the_next_tick() -> None:
    async with NodeSession(_HERE) as short:
        pid = short._child._transport.get_pid() if short._child and short._child._transport else 0
        async with NodeSession(_HERE) as node:
            async for sample in node.sample([ReadFile(path=f"/proc/{pid}/stat")], interval_s=0.05):
                if sample.tick == 0:
                    assert sample.texts
                    await short.__aexit__(None, None, None)
                if not sample.texts:
                    break


async def test_a_tree_can_be_watched_too(tmp_path: Path) -> None:
    """One that is written anew while it is watched, as a rehearsal does, shows the new text."""
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/uptime").write_text("5 5\n")
    (tmp_path / "commands").mkdir()
    (tmp_path / "commands/nvidia-smi-L.txt").write_text("GPU 0\n")
    sources = [ReadFile(path="/proc/uptime"), ReadCommand(argv=("nvidia-smi", "-L"))]

    async with NodeSession(NodeTarget(name="tree", root=tmp_path)) as node:
        async for sample in node.sample(sources, interval_s=0.05):
            if sample.tick == 0:
                assert sample.texts == {"/proc/uptime": "5 5\n", "nvidia-smi -L": "GPU 0\n"}
                (tmp_path / "new").write_text("6 6\n")
                (tmp_path / "new").replace(tmp_path / "proc/uptime")
            if sample.texts["/proc/uptime"] == "6 6\n":
                break


async def test_long_files_of_proc_are_whole_in_every_tick() -> None:
    async with NodeSession(_HERE) as node:
        samples = [sample async for sample in node.sample([ReadFile(path="/proc/vmstat")], interval_s=0.1, count=2)]

    for sample in samples:
        text = sample.texts["/proc/vmstat"]
        assert len(text) > 2048
        assert text.endswith("\n")
        assert text.count("\n") == len(set(text.splitlines()))


async def test_a_command_that_fails_later_has_no_text(tmp_path: Path) -> None:
    """What it printed before is not what it would print now."""
    (tmp_path / "commands").mkdir()
    (tmp_path / "commands/nvidia-smi-L.txt").write_text("GPU 0\n")

    async with NodeSession(NodeTarget(name="tree", root=tmp_path)) as node:
        async for sample in node.sample([ReadCommand(argv=("nvidia-smi", "-L"))], interval_s=0.05):
            if sample.tick == 0:
                assert sample.texts
                (tmp_path / "commands/nvidia-smi-L.code").write_text("9")
            if not sample.texts:
                break


async def test_a_command_that_hangs_delays_no_tick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A driver that hangs keeps whoever asks it; a guard has to go on looking at the memory meanwhile."""
    program = tmp_path / "nvidia-smi"
    program.write_text("#!/bin/sh\nexec sleep 300\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    hangs = ReadCommand(argv=("nvidia-smi", "-L"), every_s=60.0, limit_s=60.0)

    async with NodeSession(_HERE) as node:
        ticks = [one async for one in node.sample([hangs, ReadFile(path="/proc/uptime")], interval_s=0.1, count=5)]

    assert ticks[-1].monotonic_ns - ticks[0].monotonic_ns < 30 * NS_PER_S
    assert {tuple(one.texts) for one in ticks} == {("/proc/uptime",)}


async def test_a_command_that_is_asked_seldom_keeps_its_text_and_says_why_it_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "nvidia-smi"
    program.write_text(f"#!/bin/sh\necho run >> {tmp_path}/runs\necho GPU 0\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    sources = [
        ReadCommand(argv=("nvidia-smi", "-L"), every_s=600.0),
        ReadCommand(argv=("fwupdmgr", "get-devices"), every_s=600.0),
    ]

    async with NodeSession(_HERE) as node:
        async for tick in node.sample(sources, interval_s=0.05):
            if tick.texts and tick.unread and tick.tick > 10:
                break

    assert tick.texts == {"nvidia-smi -L": "GPU 0\n"}
    assert set(tick.unread) == {"fwupdmgr get-devices"}
    assert (tmp_path / "runs").read_text() == "run\n", "not at every tick"


async def test_lines_of_a_log_are_counted_as_they_come(tmp_path: Path) -> None:
    log = tmp_path / "kernel.log"
    log.write_text("NVRM: one NV_ERR_NO_MEMORY\nNVRM: other\nhalf a line with NVRM")
    source = CountLines(path=str(log), words=("NVRM", "NV_ERR_NO_MEMORY"))
    seen: list[str] = []

    async with NodeSession(_HERE) as node:
        async for tick in node.sample([source], interval_s=0.05):
            seen.append(tick.texts[str(log)])
            if len(seen) == 2:
                with log.open("a") as stream:
                    stream.write(" NV_ERR_NO_MEMORY\nNVRM: third NV_ERR_NO_MEMORY, the last\n")
            if seen[-1] != seen[0]:
                break

    assert seen[0] == seen[1] == "1\nNVRM: one NV_ERR_NO_MEMORY"
    assert seen[-1] == "3\nNVRM: third NV_ERR_NO_MEMORY, the last"


@pytest.mark.parametrize(
    ("path", "why"), [("/no/such/log", "it is not there"), ("/dev/zero", "it is no file"), ("/proc", "it is no file")]
)
async def test_a_log_that_cannot_be_counted_says_why(path: str, why: str) -> None:
    """Only the kernel's log is a device that may be opened: another one could do something."""
    async with NodeSession(_HERE) as node:
        async for tick in node.sample([CountLines(path=path, words=("x",))], interval_s=0.05, count=2):
            assert (tick.texts, tick.unread) == ({}, {path: why})


async def test_the_kernel_log_of_this_machine_is_counted_or_says_why_not() -> None:
    async with NodeSession(_HERE) as node:
        async for tick in node.sample([CountLines(path="/dev/kmsg", words=("",))], interval_s=0.05, count=1):
            told = tick.texts.get("/dev/kmsg", "").partition("\n")[0]
            assert told.isdigit() != bool(tick.unread)
