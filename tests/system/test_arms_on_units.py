"""Systemd units as arms, on a node with a real systemd: a drop-in, an EnvironmentFile=, taken back."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.arms import SERVER, hold_settings
from tests.support.forward import forwarded
from tests.support.hosts import FAR_ADDRESS
from tests.support.nspawn import BootedNode
from tests.support.service_arms import planner_of, read_in_turn, restored

from sparktune.io.cluster import NodeTarget
from sparktune.io.launching.hold import Hold
from sparktune.io.launching.settings import HoldSettings
from sparktune.model.arm_action import Apply, RunOnNode

pytestmark = [pytest.mark.root, pytest.mark.slow]  # the contract of launchers asks the same in less time

_PORT = 8199
_FILES = {
    "etc/systemd/system/arm.service": f"""\
[Unit]
Description=a server   # of a test

[Service]
Environment=LIMIT=1
EnvironmentFile=-/etc/default/arm
ExecStart=/usr/bin/python3 /srv/arm_server.py {_PORT} --host 0.0.0.0 \\
    --slots ${{SLOTS}} --cap 50
Restart=always
RestartSec=0
""",
    "etc/systemd/system/shadowed.service": f"""\
[Service]
Environment=LIMIT=1
ExecStart=/bin/sh -c "LIMIT=9 exec /usr/bin/python3 /srv/arm_server.py {_PORT} --host 0.0.0.0"
""",
    "etc/default/arm": "# how many at once\nSLOTS=3\n",
}
_B = {"env": {"LIMIT": 2, "SLOTS": 4, "FRESH": 'x "y" 5%'}, "flags": {"--cap": 40}}


@pytest.fixture
def served(node: BootedNode) -> Iterator[BootedNode]:
    """Have units on the node; afterwards it has none of them."""
    (node.root / "srv/arm_server.py").write_text(SERVER.read_text())
    for name, text in _FILES.items():
        (node.root / name).write_text(text)
    node.run("systemctl daemon-reload")
    yield node
    node.run("systemctl stop arm.service shadowed.service")
    for name in (*_FILES, "srv/arm_server.py"):
        (node.root / name).unlink()
    node.run("systemctl daemon-reload; systemctl reset-failed")


@pytest.fixture
def settings(served: BootedNode, tmp_path: Path) -> Iterator[HoldSettings]:
    """Lead to the node and to its server."""
    with forwarded(served.near, FAR_ADDRESS, _PORT) as port:
        yield hold_settings(tmp_path, port, nodes={served.name: NodeTarget(name=served.name, host=served.name)})


def _where(node: BootedNode, unit: str) -> list[dict[str, Any]]:
    return [{"node": node.name, "unit": unit}]


def _files(node: BootedNode) -> dict[str, bytes]:
    """Return everything that makes a unit what it is."""
    folders = ("etc/systemd/system", "etc/default")
    found = [path for folder in folders for path in (node.root / folder).rglob("*") if path.is_file()]
    return {str(path): path.read_bytes() for path in found if not path.is_symlink()}


def _shown(node: BootedNode, *names: str) -> str:
    return node.run(f"systemctl show arm.service -p {','.join(names)}")


async def test_arms_are_read_from_inside_and_everything_comes_back(served: BootedNode, settings: HoldSettings) -> None:
    served.run("systemctl start arm.service")
    files, before = _files(served), _shown(served, "ActiveState", "Restart", "DropInPaths", "Environment")
    planner = await planner_of("systemd", {"A": {}, "B": _B}, _where(served, "arm"), settings)
    hold = Hold(settings, remember=lambda _record: None)

    found = await read_in_turn(hold, planner)

    a, b = _plain(found[0]), _plain(found[1])
    assert a == {"LIMIT": "1", "SLOTS": "3", "FRESH": "(not set)", "--cap": "50"}
    assert b == {"LIMIT": "2", "SLOTS": "4", "FRESH": 'x "y" 5%', "--cap": "40"}
    assert [_plain(one) for one in found] == [a, b, b, a]
    await restored(hold, planner)
    assert _files(served) == files
    assert _shown(served, "ActiveState", "Restart", "DropInPaths", "Environment") == before
    assert b"--slots\x003\x00" in served.run("cat /proc/$(systemctl show -P MainPID arm.service)/cmdline").encode()


async def test_a_killed_arm_stays_dead_whatever_its_unit_says(served: BootedNode, settings: HoldSettings) -> None:
    """Restart=always would load the model again on a host that a guard has just saved."""
    served.run("systemctl start arm.service")
    planner = await planner_of("systemd", {"A": {}, "B": _B}, _where(served, "arm"), settings)
    hold = Hold(settings, remember=lambda _record: None)
    await hold.perform(planner.begin())
    await hold.set_arm("B", planner.plan("B"))

    await hold.kill()

    assert "ActiveState=active" not in _shown(served, "ActiveState")
    await restored(hold, planner)
    assert "ActiveState=active" in _shown(served, "ActiveState")


async def test_files_without_a_restart_are_refused(served: BootedNode, settings: HoldSettings) -> None:
    served.run("systemctl start arm.service")
    planner = await planner_of("systemd", {"A": {}, "B": _B}, _where(served, "arm"), settings)
    plan = planner.plan("B")
    lazy = replace(plan, actions=tuple(one for one in plan.actions if not isinstance(one, RunOnNode)), leave=())
    hold = Hold(settings, remember=lambda _record: None)

    await hold.set_arm("B", lazy)
    reading = await hold.read_live(plan)
    await hold.release()

    assert not reading.ok
    assert "LIMIT" in reading.why
    assert "--cap" in reading.why


async def test_a_command_that_sets_the_variable_itself_is_refused(served: BootedNode, settings: HoldSettings) -> None:
    served.run("systemctl start shadowed.service")
    arms = {"A": {}, "B": {"env": {"LIMIT": 2}}}
    planner = await planner_of("systemd", arms, _where(served, "shadowed"), settings)
    hold = Hold(settings, remember=lambda _record: None)
    await hold.perform(planner.begin())
    plan = planner.plan("B")

    await hold.set_arm("B", plan)
    reading = await hold.read_live(plan)
    await restored(hold, planner)

    assert not reading.ok
    assert "LIMIT" in reading.why
    assert "9" in reading.why


async def test_files_that_systemd_has_not_read_are_refused_before_anything_is_touched(
    served: BootedNode, settings: HoldSettings
) -> None:
    served.run("systemctl start arm.service")
    with (served.root / "etc/systemd/system/arm.service").open("a") as unit:
        unit.write("# edited\n")
    planner = await planner_of("systemd", {"A": {}, "B": _B}, _where(served, "arm"), settings)

    with pytest.raises(ValueError, match="its files were edited and systemd has not read them"):
        planner.plan("B")


async def test_every_step_is_expected_to_find_what_was_seen(served: BootedNode, settings: HoldSettings) -> None:
    """Somebody who edits the same file in between is not overwritten."""
    planner = await planner_of("systemd", {"A": {}, "B": _B}, _where(served, "arm"), settings)

    (applied,) = [one for one in planner.plan("B").actions if isinstance(one, Apply)]

    assert [dict(step.expect) for step in applied.steps[:-1]] == [
        {"/etc/default/arm": _FILES["etc/default/arm"]},
        {"/etc/systemd/system/arm.service.d/90-sparktune-arm.conf": None},
    ]


def _plain(values: Mapping[str, str]) -> dict[str, str]:
    """Return values by the setting's own name, without those of one start."""
    found = {name.rpartition(" ")[2]: value for name, value in values.items()}
    return {name: value for name, value in found.items() if name not in {"started", "image"}}
