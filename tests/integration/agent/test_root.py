"""A captured tree as a node: the same answers as from a live one, and nothing from outside of it."""

import os
from pathlib import Path

import pytest

from sparktune.agent.protocol import command_slug
from sparktune.errors import NodeProtocolError
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.fanout import observe_all
from sparktune.io.transport.session import NodeSession
from sparktune.model.observed import State, absent, present
from sparktune.model.reads import CommandOutput, Read, ReadCommand, ReadFile, ReadFiles, Readings, ReadLinks, ReadNames


def _write(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


async def _readings(root: Path, *reads: Read) -> Readings:
    async with NodeSession(NodeTarget(name="tree", root=root)) as node:
        return await node.observe(reads)


async def test_paths_are_those_below_the_folder(tmp_path: Path) -> None:
    _write(tmp_path, proc__version="its own")

    readings = await _readings(
        tmp_path,
        ReadFile(path="/proc/version"),
        ReadFile(path="/proc/uptime"),
        ReadFiles(pattern="/pro*/v*"),
        ReadNames(pattern="/*"),
    )

    assert readings.file("/proc/version") == present("its own")
    assert readings.file("/proc/uptime") == absent()
    assert readings.matching("/pro*/v*") == {"/proc/version": present("its own")}
    assert readings.names["/*"] == ("/proc",)


async def test_links_lead_nowhere_else(tmp_path: Path) -> None:
    """A tree from somebody else must not be able to show files of the person who looks at it."""
    outside, root = tmp_path / "outside", tmp_path / "root"
    _write(tmp_path, outside__kept="outside", root__etc__kept="harmless", root__a__b__file="inside")
    links = {
        "absolute": str(outside / "kept"),
        "up": "../outside/kept",
        "far-up": "../../../../../../../../../../etc/kept",
        "rooted": "/etc/kept",
        "inner": "a/b/file",
        "loop": "loop",
        "folder": "../outside",
        "folder-inside": "/a/../a/b",
    }
    for name, target in links.items():
        (root / name).symlink_to(target)

    readings = await _readings(
        root,
        *(ReadFile(path=f"/{name}") for name in links),
        ReadFile(path="/../../outside/kept"),
        ReadFile(path=f"/folder/{'../' * 12}{outside}/kept"),
        ReadFiles(pattern="/folder*/*"),
        ReadLinks(pattern="/*"),
    )

    assert readings.file("/absolute") == absent()
    assert readings.file("/up") == absent()
    assert readings.file("/../../outside/kept") == absent()
    assert readings.file("/far-up") == present("harmless")
    assert readings.file("/rooted") == present("harmless")
    assert readings.file("/inner") == present("inside")
    assert readings.file("/loop").state is State.UNREADABLE
    assert readings.matching("/folder*/*") == {"/folder-inside/file": present("inside")}
    assert readings.links["/*"] == {f"/{name}": target for name, target in links.items()}
    assert not [observed for observed in readings.files.values() if observed.value == "outside"]


async def test_commands_answer_from_kept_output_and_nothing_runs(tmp_path: Path) -> None:
    failing, silent = ("systemctl", "is-active", "irqbalance"), ("nvidia-smi", "-L")
    _write(tmp_path, **{"commands__uname-a.txt": "Linux its-own\n"})
    _write(tmp_path, **{f"commands__{command_slug(failing)}.txt": "inactive\n"})
    _write(tmp_path, **{f"commands__{command_slug(failing)}.code": "3\n"})
    _write(tmp_path, **{f"commands__{command_slug(failing)}.stderr": "a complaint\n"})
    _write(tmp_path, **{f"commands__{command_slug(silent)}.code": "9"})
    _write(tmp_path, **{"commands__lscpu.code": "many"})
    (tmp_path / "commands/dmesg.txt").symlink_to("/proc/version")

    asked = (("uname", "-a"), failing, silent, ("uname", "-r"), ("lscpu",), ("dmesg",), ("reboot",))
    readings = await _readings(tmp_path, *(ReadCommand(argv=argv) for argv in asked))

    assert readings.command("uname", "-a") == present(CommandOutput(stdout="Linux its-own\n", stderr="", code=0))
    assert readings.command(*failing) == present(CommandOutput(stdout="inactive\n", stderr="a complaint\n", code=3))
    assert readings.command(*silent) == present(CommandOutput(stdout="", stderr="", code=9))
    assert readings.command("uname", "-r") == absent()
    assert readings.command("dmesg") == absent()
    assert readings.command("lscpu").state is State.UNREADABLE
    assert readings.command("reboot").state is State.UNREADABLE


@pytest.mark.parametrize(("said", "uid"), [("1000\n", 1000), (None, None), ("me", None)])
async def test_the_identity_is_the_trees(tmp_path: Path, said: str | None, uid: int | None) -> None:
    _write(tmp_path, proc__sys__kernel__random__boot_id="its-boot\n", proc__sys__kernel__hostname="spark-1\n")
    if said is not None:
        _write(tmp_path, **{"commands__id-u.txt": said})

    async with NodeSession(NodeTarget(name="tree", root=tmp_path)) as node:
        hello = await node.hello()

    assert (hello.boot_id, hello.hostname, hello.uid) == ("its-boot", "spark-1", uid)


async def test_a_tree_is_only_read(tmp_path: Path) -> None:
    _write(tmp_path, proc__version="its own")
    before = _times(tmp_path)

    await _readings(tmp_path, ReadFile(path="/proc/version"), ReadCommand(argv=("uname", "-a")))

    assert _times(tmp_path) == before


def _times(folder: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*")}


async def test_a_folder_that_goes_is_a_node_without_anything(tmp_path: Path) -> None:
    """Nothing of the live machine stands in for it."""
    (answer,) = await observe_all([NodeTarget(name="tree", root=tmp_path / "gone")], [ReadFile(path="/proc/version")])

    assert answer.readings is not None
    assert answer.readings.file("/proc/version") == absent()


async def test_an_agent_that_breaks_is_an_error_with_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/bin/false")

    (answer,) = await observe_all([NodeTarget(name="tree", root=tmp_path)], [ReadFile(path="/proc/version")])

    assert isinstance(answer.error, NodeProtocolError)
    assert str(answer.error) == "tree: nothing answers, the agent ended with code 1"
    assert os.sep not in answer.error.hint
