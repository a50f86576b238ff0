"""Drift of a systemd unit on a node with a real systemd, read over a real ssh, and restored there."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.support.arms import SERVER
from tests.support.earned_limit import EARNED_LIMIT
from tests.support.forward import forwarded
from tests.support.hosts import FAR_ADDRESS
from tests.support.nspawn import BootedNode

from sparktune.flows.drift import DriftWish, drift_rows, observe_drift
from sparktune.io.cluster import NodeTarget
from sparktune.io.drift.service import DriftTargets
from sparktune.model.drift import DriftRow, DriftStatus, ServicePlace

pytestmark = [pytest.mark.root, pytest.mark.slow]  # a service is made anew many times

_PORT = 8197
_UNIT, _DEFAULTS, _DROP_IN = (
    "etc/systemd/system/house.service",
    "etc/default/house",
    "etc/systemd/system/house.service.d/10-depth.conf",
)
_FILES = {
    _UNIT: f"""\
[Service]
Environment=LIMIT=1
EnvironmentFile=/etc/default/house
ExecStart=/usr/bin/python3 /srv/arm_server.py {_PORT} --host 0.0.0.0 --slots ${{SLOTS}}
""",
    _DEFAULTS: "# how many at once\nSLOTS=3\n",
    _DROP_IN: "[Service]\nEnvironment=DEPTH=5\n",
}


@pytest.fixture
def served(node: BootedNode) -> Iterator[BootedNode]:
    """Run the unit; afterwards the node has nothing of it."""
    (node.root / "srv/arm_server.py").write_text(SERVER.read_text())
    (node.root / _DROP_IN).parent.mkdir()
    for name, text in _FILES.items():
        (node.root / name).write_text(text)
    node.run("systemctl daemon-reload; systemctl start house.service")
    yield node
    node.run("systemctl stop house.service")
    shutil.rmtree((node.root / _DROP_IN).parent)
    for name in (_UNIT, _DEFAULTS, "srv/arm_server.py"):
        (node.root / name).unlink()
    node.run("systemctl daemon-reload; systemctl reset-failed")


def _rows(node: BootedNode, earned: dict[str, Any]) -> dict[str, DriftRow]:
    with forwarded(node.near, FAR_ADDRESS, _PORT) as port:
        place = ServicePlace(
            name="house",
            launcher="systemd",
            where=({"node": node.name, "unit": "house.service"},),
            endpoint=f"http://127.0.0.1:{port}/v1",
        )
        targets = DriftTargets(nodes={node.name: NodeTarget(name=node.name, host=node.name)})
        wish = DriftWish(place=place, targets=targets, earned=({"value": earned},), earned_file="earned.yaml")
        rows = drift_rows(asyncio.run(observe_drift(wish)))
    return {row.key: row for row in rows if row.aspect == "settings"}


def _texts(row: DriftRow) -> tuple[str | None, ...]:
    return tuple(None if one is None else one.text for one in (row.earned, row.file, row.live))


def test_the_unit_its_drop_in_and_its_file_of_variables_are_one(served: BootedNode) -> None:
    rows = _rows(served, {"env": {"LIMIT": "2"}})

    assert rows["env.LIMIT"].status is DriftStatus.FILE_DRIFT
    assert _texts(rows["env.LIMIT"]) == ("2", "1", "1")
    assert _texts(rows["env.DEPTH"]) == (None, "5", "5")
    assert _texts(rows["env.SLOTS"]) == (None, "3", "3")
    assert rows["env.DEPTH"].file is not None
    assert rows["env.DEPTH"].file.place.endswith("10-depth.conf:2")
    assert [key for key, row in rows.items() if row.status.is_drift] == ["env.LIMIT"]


def test_a_file_of_variables_that_was_edited_is_not_live_until_a_restart(served: BootedNode) -> None:
    (served.root / _DEFAULTS).write_text("SLOTS=4\n")

    before = _rows(served, {"env": {"SLOTS": "4"}})["env.SLOTS"]
    served.run("systemctl restart house.service")
    after = _rows(served, {"env": {"SLOTS": "4"}})["env.SLOTS"]

    assert before.status is DriftStatus.NOT_LIVE
    assert _texts(before) == ("4", "4", "3")
    assert after.status is DriftStatus.OK


def test_what_was_earned_is_live_again_in_the_unit(served: BootedNode, tmp_path: Path) -> None:
    """The unit's own file is never touched: what was earned comes into a drop-in, and the process has it."""
    with forwarded(served.near, FAR_ADDRESS, _PORT) as port:
        service = {
            "endpoint": f"http://127.0.0.1:{port}/v1",
            "launcher": "systemd",
            "where": [{"node": served.name, "unit": "house.service"}],
        }
        (tmp_path / "sparktune.yaml").write_text(yaml.safe_dump({"services": {"house": service}}))
        (tmp_path / "earned.yaml").write_text(yaml.safe_dump(EARNED_LIMIT))
        pid = _main_pid(served)
        assert _drift(tmp_path, "--json").returncode == 3

        done = _drift(tmp_path, "restore", "LIMIT", "--yes")

        assert done.returncode == 0, done.stderr
        assert {name: (served.root / name).read_text() for name in _FILES} == _FILES
        assert _main_pid(served) != pid
        assert "LIMIT=2" in served.run(f"tr '\\0' '\\n' </proc/{_main_pid(served)}/environ").split()
        after = _drift(tmp_path, "--json")
        assert after.returncode == 0, after.stdout + after.stderr
        limit = next(row for row in json.loads(after.stdout)["rows"] if row["key"] == "LIMIT")
        assert [limit[layer] for layer in ("earned", "file", "live", "status")] == ["2", "2", "2", "OK"]


def _drift(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "sparktune", "drift", *words],
        cwd=folder,
        env={**os.environ, "SPARKTUNE_DATA": str(folder / "data")},
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def _main_pid(node: BootedNode) -> str:
    return node.run("systemctl show -P MainPID house.service").strip()
