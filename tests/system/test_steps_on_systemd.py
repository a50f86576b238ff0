"""Steps that systemd carries out, on a booted node: what it leaves in its folders goes away again with the step.

The node's control groups are this machine's: where they are of version 1, nothing enforces AllowedCPUs=, which a step
has to say.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.nspawn import BootedNode, booted_node

from sparktune.io.transport.package import agent_archive

pytestmark = [pytest.mark.root, pytest.mark.timeout(300)]

# Runs on the node: looks, does, does again, puts back, looks; and says what files systemd had before and afterwards.
_PROGRAM = """
import importlib, json, os, sys
sys.path.insert(0, "/srv/agent.pyz")
from sparktune.agent.tree import Tree
from sparktune.agent.failures import StepFailed
from sparktune.agent.machines import machine_of

def files():
    tops = ("/etc/systemd", "/run/systemd/system.control", "/run/systemd/transient", "/run/systemd/system")
    found = {}
    for top in tops:
        for folder, _folders, names in os.walk(top):
            paths = [os.path.join(folder, name) for name in names]
            found[folder] = ""
            found |= {path: os.readlink(path) if os.path.islink(path) else open(path).read() for path in paths}
    return found

step = json.loads(sys.argv[1])
kind, machine = importlib.import_module("sparktune.agent.steps." + step["kind"]).KIND, machine_of(Tree())
start, before = files(), kind.look(machine, step)
try:
    done = kind.do(machine, step, before)
except StepFailed as error:
    done = {"failed": str(error)}
after = kind.look(machine, step)
again = {} if "failed" in done else kind.do(machine, step, after)
for item in before:
    if not kind.same(step, before[item], after[item]):
        kind.put_back(machine, step, item, before[item])
    kind.tidy(machine, step, item, before[item])
now = kind.look(machine, step)
print(json.dumps({
    "done": done, "again": again, "shown": [[kind.shown(one[item]) for one in (before, after, now)] for item in before],
    "as before": all(kind.same(step, before[item], now[item]) for item in before) and files() == start,
}))
"""


@pytest.fixture(scope="module", name="node")
def _node() -> Iterator[BootedNode]:
    with booted_node() as node:
        (node.root / "srv/agent.pyz").write_bytes(agent_archive())
        (node.root / "srv/step.py").write_text(_PROGRAM)
        yield node


def _tried(node: BootedNode, kind: str, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - as JSON has them
    step = json.dumps({"kind": kind, "change": "test", "expect": {}, **fields})
    assert "'" not in step
    found: dict[str, Any] = json.loads(node.run(f"python3 /srv/step.py '{step}'"))
    assert found["as before"], found
    return found


@pytest.mark.parametrize("unit", ["system.slice", "user.slice", "init.scope", "inference.slice"])
def test_cpus_of_a_unit(node: BootedNode, unit: str) -> None:
    """Also of init.scope, whose drop-in lies elsewhere, and of a slice that nothing runs in yet."""
    found = _tried(node, "property", unit=unit, name="AllowedCPUs", value="0")
    (done,) = found["done"].values()
    assert found["shown"] == [[None, "0", None]]
    if unit == "inference.slice":
        assert done == {"outcome": "changed", "why": "the unit does not run: it counts as soon as it does"}
    elif Path("/sys/fs/cgroup/cgroup.controllers").exists():
        assert done["outcome"] in {"changed", "ineffective"}
    else:
        assert done["outcome"] == "ineffective"
        assert "control groups of version 1" in done["why"]


def test_a_number_that_nobody_set(node: BootedNode) -> None:
    """Shown as ``[not set]``, which systemd itself does not take."""
    found = _tried(node, "property", unit="user.slice", name="CPUWeight", value="50")
    assert found["shown"] == [["[not set]", "50", "[not set]"]]


def test_a_unit_that_there_is_not(node: BootedNode) -> None:
    found = _tried(node, "service", unit="no-such.service", do="start")
    assert "no-such.service not found" in found["done"]["failed"]
    assert _tried(node, "service", unit="no-such.service", do="restart")["done"] == {
        "no-such.service": {"outcome": "already", "why": "it does not run"}
    }


def test_services_stop_and_come_back(node: BootedNode) -> None:
    found = _tried(node, "service", unit="systemd-logind.service", do="stop")
    assert found["shown"] == [["active", "inactive", "active"]]
    assert found["again"] == {"systemd-logind.service": {"outcome": "already"}}
    found = _tried(node, "service", unit="systemd-journald.service", do="restart")
    assert found["done"] == {"systemd-journald.service": {"outcome": "changed"}}


def test_managers_read_their_files_again(node: BootedNode) -> None:
    for manager in ("systemd", "udev"):
        assert _tried(node, "reload", manager=manager)["done"] == {manager: {"outcome": "changed"}}


def test_a_switch_of_targets_and_back(node: BootedNode) -> None:
    node.run("systemctl isolate graphical.target")
    found = _tried(node, "isolate", target="multi-user.target", back="graphical.target")
    assert found["shown"] == [["graphical.target", "multi-user.target", "graphical.target"]]
    node.run("systemctl isolate multi-user.target")


def test_the_default_target(node: BootedNode) -> None:
    default = node.run("systemctl get-default").strip()
    link = "/etc/systemd/system/default.target"
    found = _tried(node, "link", path=link, target="/lib/systemd/system/rescue.target")
    assert found["again"] == {link: {"outcome": "already"}}
    assert node.run("systemctl get-default").strip() == default
