"""The systemd launcher on a node with a real systemd, behind a real sshd; see ``launcher_parts``."""

__all__ = ["unit_parts"]

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from tests.support.arms import SERVER, hold_settings
from tests.support.forward import forwarded
from tests.support.hosts import FAR_ADDRESS
from tests.support.launcher_parts import Parts, Shared
from tests.support.nspawn import BootedNode, booted_node

from sparktune.io.cluster import NodeTarget
from sparktune.model.launcher import ArmSpec

_PORT = 8198
_UNIT = f"""\
[Service]
EnvironmentFile=/etc/default/arm
ExecStart=/usr/bin/python3 /srv/arm_server.py {_PORT} --host 0.0.0.0 --slots ${{SLOTS}}
Restart=always
"""
_FILES = {"etc/systemd/system/arm.service": _UNIT, "etc/default/arm": "# how many at once\nSLOTS=1\n"}


@contextmanager
def unit_parts(folder: Path, _port: int, shared: Shared) -> Iterator[Parts]:
    """One unit, whose variable is in its EnvironmentFile; it ran with one slot before."""
    node = shared.of(_booted)
    ways = {"SPARKTUNE_SSH": node.ssh, "XDG_RUNTIME_DIR": str(node.folder)}
    (node.root / "srv/arm_server.py").write_text(SERVER.read_text())
    for name, text in _FILES.items():
        (node.root / name).write_text(text)
    node.run("systemctl daemon-reload; systemctl start arm.service")
    try:
        with mock.patch.dict(os.environ, ways), forwarded(node.near, FAR_ADDRESS, _PORT) as port:
            target = NodeTarget(name=node.name, host=node.name)
            yield Parts(
                launcher="systemd",
                spec=ArmSpec(arms={"A": {}, "B": {"env": {"SLOTS": 4}}}, where=({"node": node.name, "unit": "arm"},)),
                settings=hold_settings(folder, port, nodes={node.name: target}, memory_still_s=1.0),
                tells="SLOTS",
                alive=lambda: _pids(node),
                sabotage={
                    "it died": lambda: _do(node, "systemctl kill --signal=KILL arm.service; sleep 0.5"),
                    "it was started anew": lambda: _do(node, "systemctl restart arm.service"),
                    "its file was edited and it was started anew": lambda: _edited(node),
                },
                never_ready={"env": {"SLOTS": "many"}},
                files=tuple(node.root / name for name in _FILES),
                ran_before=True,
            )
    finally:
        node.run("systemctl stop arm.service")
        for name in (*_FILES, "srv/arm_server.py"):
            (node.root / name).unlink()
        node.run("systemctl daemon-reload; systemctl reset-failed")


@contextmanager
def _booted() -> Iterator[BootedNode]:
    with booted_node("contract") as node:
        yield node


def _pids(node: BootedNode) -> list[int]:
    main = int(node.run("systemctl show -P MainPID arm.service"))
    return [main] if main else []


def _do(node: BootedNode, command: str) -> None:
    node.run(command)


def _edited(node: BootedNode) -> None:
    file = node.root / "etc/default/arm"
    before = file.read_text()
    try:
        file.write_text("SLOTS=5\n")
        node.run("systemctl restart arm.service")
    finally:
        file.write_text(before)
