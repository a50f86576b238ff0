"""Killed at every record, before and after it was kept: what is left is found by the record, and nothing else."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.arms import bystander, hold_settings, living, server_command
from tests.support.host_trees import tree_hash, write_node

from sparktune.io.cluster import NodeTarget
from sparktune.io.http.address import parse_address
from sparktune.io.launching.address import answers
from sparktune.io.launching.hold import Hold, Recovered
from sparktune.io.launching.proc import look_at

pytestmark = pytest.mark.timeout(300)  # many programs are started, one after the other
_ROOT = Path(__file__).parents[3]


def _die(folder: Path, port: int, kind: str, at: int, when: str) -> bool:
    """Return whether it was killed."""
    command = [sys.executable, "-m", "tests.support.killed_hold", str(folder), str(port), kind, str(at), when]
    done = subprocess.run(command, cwd=_ROOT, capture_output=True, timeout=100, check=False)
    assert done.returncode in {0, -9}, done.stderr.decode()
    return done.returncode == -9


def _record(folder: Path) -> dict[str, Any]:
    path = folder / "record.json"
    return json.loads(path.read_text()) if path.exists() else {}


async def _recover(folder: Path, port: int) -> tuple[Recovered, dict[str, Any]]:
    kept: list[Any] = [_record(folder)]
    settings = hold_settings(folder, port, nodes={"": NodeTarget(name="node", root=folder / "node")})
    recovered = await Hold.recover(kept[-1], settings, remember=kept.append)
    return recovered, kept[-1]


@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_server_of_a_killed_run_is_ended(tmp_path: Path, port: int, when: str) -> None:
    """Also one whose number was never told: the kill came between its start and the record of it."""
    idle = "import time; print(flush=True); time.sleep(600)"
    ended_any = False
    async with bystander(sys.executable, "-c", idle, "arm_server.py", str(port)) as other:
        for at in range(1, 12):
            if not _die(tmp_path, port, "command", at, when):
                break
            recovered, record = await _recover(tmp_path, port)
            assert not recovered.left
            assert not living(tmp_path), f"killed at record {at}"
            assert not await answers(parse_address(f"http://127.0.0.1:{port}"))
            assert all(one["state"] == "ended" for one in record.get("processes", []))
            again, _record_again = await _recover(tmp_path, port)
            assert not again.left
            ended_any = ended_any or bool(recovered.done)
            (tmp_path / "record.json").unlink(missing_ok=True)
        else:
            pytest.fail("it writes more records than were tried")
        assert at > 5, "every phase was tried"
        assert ended_any, "a server was found running"
        assert (tmp_path / "ended").exists()
        assert other.returncode is None, "a process of that name was ended"


async def test_a_number_that_changed_hands_is_left_alone(tmp_path: Path, port: int) -> None:
    """The process is gone, and its number is now somebody else's."""
    async with bystander(*server_command(port)) as other:
        entry = {"mark": "m" * 32, "kind": "server", "arm": "B", "command": "x", "log": "x", "state": "running"}
        entry |= {"pid": other.pid, "start_ticks": 1, "boot": ""}
        record = {"schema": 1, "arm": "B", "processes": [entry], "nodes": [], "originals": {}}

        recovered = await Hold.recover(record, hold_settings(tmp_path, port), remember=lambda _record: None)

        assert recovered == Recovered()
        assert other.returncode is None


async def test_numbers_of_another_boot_mean_nothing(tmp_path: Path, port: int) -> None:
    """After a reboot the same number and even the same start time can be anybody's."""
    async with bystander(*server_command(port)) as other:
        seen = look_at(other.pid)
        assert seen is not None
        entry = {"mark": "m" * 32, "kind": "server", "arm": "B", "command": "x", "log": "x", "state": "running"}
        entry |= {"pid": seen.pid, "start_ticks": seen.start_ticks, "boot": "another"}
        record = {"schema": 1, "arm": "B", "processes": [entry], "nodes": [], "originals": {}}

        recovered = await Hold.recover(record, hold_settings(tmp_path, port), remember=lambda _record: None)

        assert recovered == Recovered()
        assert other.returncode is None


@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_transaction_of_a_killed_run_is_undone(tmp_path: Path, port: int, when: str) -> None:
    """The node is as it was to the byte, wherever the kill came; other transactions stay what they are."""
    node = write_node(tmp_path / "node")
    assert node.root is not None
    before = tree_hash(node.root)
    undone_any = False
    for at in range(1, 12):
        if not _die(tmp_path, port, "hot", at, when):
            break
        recovered, _kept = await _recover(tmp_path, port)
        assert not recovered.left
        assert tree_hash(node.root) == before, f"killed at record {at}"
        undone_any = undone_any or any("undid transaction" in line for line in recovered.done)
        (tmp_path / "record.json").unlink(missing_ok=True)
    else:
        pytest.fail("it writes more records than were tried")
    assert undone_any
    assert tree_hash(node.root) == before


async def test_a_switch_of_a_killed_run_leaves_what_it_switched(tmp_path: Path, port: int) -> None:
    """What a script did is its own matter: the original is brought back by the script, not by us."""
    async with bystander(*server_command(port)) as server:
        for at in range(1, 12):
            if not _die(tmp_path, port, "switch", at, "after"):
                break
            recovered, record = await _recover(tmp_path, port)
            assert not recovered.left
            assert not living(tmp_path)
            assert all(one["state"] in {"ended", "kept"} for one in record["processes"])
        assert (tmp_path / "ended").exists()
        assert (tmp_path / "state").read_text() == "B"
        assert server.returncode is None
