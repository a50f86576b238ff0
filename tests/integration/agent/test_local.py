"""The agent as a child process on this machine: what it reads is what is there, whatever Python runs it."""

import asyncio
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sparktune.agent.bootstrap import bootstrap
from sparktune.errors import NodeTimeout
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.fanout import observe_all
from sparktune.io.transport.package import agent_archive
from sparktune.io.transport.session import NodeSession
from sparktune.model.observed import State, absent, present
from sparktune.model.reads import (
    FileStat,
    Read,
    ReadCommand,
    ReadFile,
    ReadFiles,
    Readings,
    ReadLinks,
    ReadNames,
    ReadStats,
)

_HERE = NodeTarget(name="here")
_PATHS = "/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"
_PYTHONS = ("python3.10", "python3.11", "python3.12", "python3.13", "python3.14")


async def _readings(*reads: Read) -> Readings:
    async with NodeSession(_HERE) as node:
        return await node.observe(reads)


async def test_a_node_says_who_it_is() -> None:
    async with NodeSession(_HERE) as node:
        hello = await node.hello()

    assert hello.uid == os.geteuid()
    assert hello.boot_id == _text("/proc/sys/kernel/random/boot_id").strip()
    assert hello.python == ".".join(map(str, sys.version_info[:3]))


async def test_files_of_proc_that_come_in_pieces_are_whole(tmp_path: Path) -> None:
    """The kernel hands out at most a page at a time of some of them."""
    big = tmp_path / "big"
    big.write_text("line\n" * 40_000)

    readings = await _readings(ReadFile(path=str(big)), ReadFile(path="/proc/kallsyms", most_bytes=50_000_000))

    assert readings.file(str(big)) == present("line\n" * 40_000)
    kallsyms = readings.file("/proc/kallsyms").value
    assert kallsyms is None or kallsyms.endswith("\n")


async def test_there_and_not_there_and_not_readable_are_three_answers(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("")
    (tmp_path / "long").write_text("x" * 11)
    os.mkfifo(tmp_path / "pipe")
    names = ("empty", "long", "pipe", "gone", "empty/below")

    readings = await _readings(*(ReadFile(path=str(tmp_path / name), most_bytes=10) for name in names))

    found = {name: readings.file(str(tmp_path / name)) for name in names}
    assert found["empty"] == present("")
    assert found["gone"] == absent()
    assert found["empty/below"] == absent()
    assert (found["long"].state, found["long"].why) == (State.UNREADABLE, "it is longer than 10 bytes")
    assert (found["pipe"].state, found["pipe"].why) == (State.UNREADABLE, "it is no file")


async def test_patterns_find_what_a_shell_would(tmp_path: Path) -> None:
    for name in ("a1/x", "a2/x", "b1/x", ".a3/x", "a1/y"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"keep {name}\ndrop\nkept too\n")
    (tmp_path / "a1/link").symlink_to("../b1/x")
    base = str(tmp_path)

    readings = await _readings(
        ReadFiles(pattern=f"{base}/a*/x", lines=("keep", "kept")),
        ReadNames(pattern=f"{base}/a[12]/[!z]"),
        ReadLinks(pattern=f"{base}/*/*"),
    )

    assert readings.matching(f"{base}/a*/x") == {
        f"{base}/a1/x": present("keep a1/x\nkept too\n"),
        f"{base}/a2/x": present("keep a2/x\nkept too\n"),
    }
    assert readings.names[f"{base}/a[12]/[!z]"] == (f"{base}/a1/x", f"{base}/a1/y", f"{base}/a2/x")
    assert readings.links[f"{base}/*/*"] == {f"{base}/a1/link": "../b1/x"}
    assert readings.unread == {}


async def test_sizes_and_times_are_told_without_a_look_inside(tmp_path: Path) -> None:
    """A link counts as what it leads to, as blobs of a model cache do; one that leads nowhere is not there."""
    (tmp_path / "blob").write_bytes(b"x" * 1234)
    os.utime(tmp_path / "blob", ns=(1, 1_700_000_000_123_456_789))
    (tmp_path / "link").symlink_to("blob")
    (tmp_path / "dangling").symlink_to("gone")
    os.mkfifo(tmp_path / "pipe")
    pattern = f"{tmp_path}/*"

    readings = await _readings(ReadStats(pattern=pattern), ReadStats(pattern=f"{tmp_path}/gone"))

    same = FileStat(size=1234, mtime_ns=1_700_000_000_123_456_789)
    found = readings.stats[pattern]
    assert sorted(found) == [f"{tmp_path}/{name}" for name in ("blob", "link", "pipe")]
    assert found[f"{tmp_path}/blob"] == found[f"{tmp_path}/link"] == same
    assert readings.stats[f"{tmp_path}/gone"] == {}
    assert readings.unread == {}


async def test_only_the_wanted_variables_of_an_environment_leave_the_node(tmp_path: Path) -> None:
    """The others may be secrets."""
    (tmp_path / "environ").write_bytes(b"HF_TOKEN=secret\0NCCL_DEBUG=INFO\0PATH=/bin\0NCCL_IB_HCA=a\0")
    pattern = f"{tmp_path}/environ"

    readings = await _readings(ReadFiles(pattern=pattern, lines=("NCCL_",)))

    assert readings.matching(pattern) == {pattern: present("NCCL_DEBUG=INFO\0NCCL_IB_HCA=a\0")}


async def test_more_files_than_wanted_are_said_to_be_more(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / str(number)).write_text("x")
    pattern = f"{tmp_path}/*"

    readings = await _readings(ReadFiles(pattern=pattern, most_files=3))

    assert len(readings.matching(pattern)) == 3
    assert readings.unread == {pattern: "more than 3 files match"}


async def test_names_and_texts_that_are_no_text_arrive(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"bad\xff")).write_bytes(b"\xff\xfe\x00\x01 ok\xc3")
    pattern = f"{tmp_path}/*"

    readings = await _readings(ReadFiles(pattern=pattern), ReadNames(pattern=pattern))

    assert readings.names[pattern] == (f"{tmp_path}/bad\ufffd",)
    assert readings.matching(pattern) == {f"{tmp_path}/bad\ufffd": present("\ufffd\ufffd\x00\x01 ok\ufffd")}


async def test_commands_answer_in_their_own_words_and_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A program that cannot be started is passed over for one of its name elsewhere, so there must be none here.
    locked = next(
        argv for argv in (("runc", "--version"), ("nvidia-smi", "-L")) if not shutil.which(argv[0], path=_PATHS)
    )
    scripts = {
        "lscpu": 'echo "$LC_ALL"; echo trouble >&2; exit 3',
        "ibdev2netdev": "yes",
        "fwupdmgr": "sleep 1000",
        "dmesg": "sleep 1000 & echo done",
        locked[0]: "exit 0",
    }
    for name, script in scripts.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    (tmp_path / locked[0]).chmod(0o644)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    asked = (("lscpu",), ("ibdev2netdev",), ("fwupdmgr", "get-devices"), ("dmesg",), locked)
    limits_s = {"fwupdmgr": 0.5, "dmesg": 0.5}  # of those that never end; the others may take as long as they take

    readings = await _readings(
        *(ReadCommand(argv=argv, limit_s=limits_s.get(argv[0], 30.0), most_bytes=100_000) for argv in asked),
        ReadCommand(argv=("ethtool", "-s", "eth0"), limit_s=5.0),
    )

    answers = {argv[0]: readings.command(*argv) for argv in asked}
    output = answers["lscpu"].value
    assert output is not None
    assert (output.stdout, output.stderr, output.code) == ("C\n", "trouble\n", 3)
    assert answers["ibdev2netdev"].why == "it wrote more than 100000 bytes"
    assert answers["fwupdmgr"].why == "it did not end in time"
    assert answers["dmesg"].why == "it did not end in time", "its child still holds its output"
    assert answers[locked[0]].why == "Permission denied"
    assert readings.command("ethtool", "-s", "eth0").why == "it is not among the commands that may be run"


@pytest.mark.parametrize("version", _PYTHONS)
def test_the_agent_runs_on_every_python_that_a_node_may_have(version: str) -> None:
    python = shutil.which(version)
    if python is None or subprocess.run((python, "-c", ""), capture_output=True, check=False).returncode:
        pytest.skip(f"{version} is not here")
    archive = agent_archive()
    requests = (
        b'{"id":1,"verb":"hello"}\n'
        b'{"id":2,"verb":"observe","reads":[{"kind":"file","path":"/proc/version","most_bytes":4096},{"kind":"new"},'
        b'{"kind":"command","argv":["uname","-r"],"arguments_from":[],"limit_s":30,"most_bytes":4096}]}\n'
        b'{"id":3,"verb":"sample","sources":[{"kind":"file","path":"/proc/uptime"}],"interval_s":0.05,"count":2}\n'
        b'{"id":4,"verb":"fly"}\n'
        b"nonsense\n"
    )

    done = subprocess.run(
        bootstrap(python, archive, "word"), input=archive + requests, capture_output=True, check=False
    )

    lines = done.stdout.decode().splitlines()
    assert done.stderr == b""
    assert lines[:2] == ["", "sparktune-agent word"]
    assert [line[:15] for line in lines[2:]] == [
        '{"id":1,"ok":{"',
        '{"id":2,"part":',
        '{"id":2,"part":',
        '{"id":2,"part":',
        '{"id":2,"ok":{"',
        '{"id":3,"part":',
        # the next request is there already, which ends a sample
        '{"id":3,"ok":{"',
        '{"id":4,"error"',
        '{"id":0,"error"',
    ]


def test_the_archive_is_the_same_every_time() -> None:
    first = agent_archive()
    agent_archive.cache_clear()

    assert agent_archive() == first


async def test_many_nodes_answer_in_their_order() -> None:
    targets = [NodeTarget(name=f"node-{number}") for number in range(6)]

    answers = await observe_all(targets, [ReadFile(path="/proc/version")], limit=3)

    assert [answer.target.name for answer in answers] == [target.name for target in targets]
    assert all(answer.readings and answer.hello for answer in answers)


async def test_a_node_that_says_nothing_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And whatever stood for it is ended."""
    ssh = tmp_path / "ssh"
    ssh.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\necho debug: waiting >&2\nexec sleep 1000\n")
    ssh.chmod(0o755)
    monkeypatch.setenv("SPARKTUNE_SSH", str(ssh))
    silent, here = NodeTarget(name="silent", host="silent"), NodeTarget(name="here")

    lost, _good = await observe_all([silent, here], [ReadFile(path="/proc/version")], per_node_timeout=5.0)

    assert isinstance(lost.error, NodeTimeout)
    assert str(lost.error) == "silent: no answer within 5 s (debug: waiting)"
    pid = _text(f"{tmp_path}/pid").strip()
    assert f"/proc/{pid}" not in (await _readings(ReadNames(pattern="/proc/[0-9]*"))).names["/proc/[0-9]*"]


async def test_leaving_in_the_middle_leaves_no_process() -> None:
    """Ctrl-C in the middle of a look at a cluster."""
    session = NodeSession(_HERE)
    async with session as node:
        await node.hello()
        asking = asyncio.ensure_future(node.observe([ReadFiles(pattern="/proc/[0-9]*/status")]))
        await asyncio.sleep(0)
        asking.cancel()

    assert session._child is not None
    assert session._child.code is not None


def _text(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")
