"""Units on trees: properties and whether they are effective, services, targets, reloads."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.support.steps import kind_named, sample_steps, sample_tree, tree_state

from sparktune.agent.failures import StepFailed
from sparktune.agent.machine import Machine
from sparktune.agent.machines import machine_of
from sparktune.agent.tree import Tree

_ITEM = "system.slice AllowedCPUs"
_DROP_IN = "run/systemd/system.control/system.slice.d/50-AllowedCPUs.conf"


@pytest.fixture(name="machine")
def _machine(tmp_path: Path) -> Machine:
    return machine_of(Tree(str(sample_tree(tmp_path))))


def _do(machine: Machine, step: dict[str, Any]) -> dict[str, str]:
    (done,) = kind_named(step["kind"]).do(machine, step, {}).values()
    return done


def _shown(root: Path) -> str:
    (answer,) = (root / "commands").glob("systemctl-show-p-Id-AllowedCPUs-*.txt")
    return answer.read_text()


def test_a_property_is_live_and_in_systemds_words(machine: Machine, tmp_path: Path) -> None:
    step = {**sample_steps()["property"], "value": "0,2-3"}
    assert _do(machine, step) == {"outcome": "changed"}
    assert "Id=system.slice\nAllowedCPUs=0 2-3\n" in _shown(tmp_path)
    assert "Id=user.slice\nAllowedCPUs=\n" in _shown(tmp_path)
    assert (tmp_path / "sys/fs/cgroup/system.slice/cpuset.cpus.effective").read_text() == "0,2-3\n"
    kind = kind_named("property")
    assert kind.shown(kind.look(machine, step)[_ITEM]) == "0,2-3"
    assert _do(machine, step) == {"outcome": "already"}


def test_a_scope_has_its_drop_in_elsewhere(machine: Machine, tmp_path: Path) -> None:
    """init.scope has no unit file: systemd writes what it is told of it where its transient units are."""
    _do(machine, sample_steps()["property-scope"])
    (drop_in,) = (tmp_path / "run/systemd").rglob("*.conf")
    assert str(drop_in).endswith("/run/systemd/transient/init.scope.d/50-AllowedCPUs.conf")
    assert "Cpus_allowed_list:\t0-1\n" in (tmp_path / "proc/1/status").read_text()


def test_a_property_that_nothing_enforces_is_told(machine: Machine, tmp_path: Path) -> None:
    """Systemd takes AllowedCPUs= whatever the kernel can do: "set" is not "effective"."""
    (tmp_path / "sys/fs/cgroup/system.slice/cpuset.cpus.effective").unlink()
    done = _do(machine, sample_steps()["property"])
    assert done["outcome"] == "ineffective"
    assert "/system.slice has no cpuset.cpus.effective" in done["why"]
    (tmp_path / "sys/fs/cgroup/cgroup.controllers").unlink()
    done = _do(machine, {**sample_steps()["property"], "value": "2-3"})
    assert done == {
        "outcome": "ineffective",
        "why": "systemd has taken it, and nothing enforces it: control groups of version 1",
    }


def test_a_unit_that_does_not_run_has_it_when_it_does(machine: Machine) -> None:
    assert _do(machine, sample_steps()["property-new"]) == {
        "outcome": "changed",
        "why": "the unit does not run: it counts as soon as it does",
    }


def test_a_runtime_property_of_somebody_else_comes_back(machine: Machine, tmp_path: Path) -> None:
    kind, step = kind_named("property"), sample_steps()["property"]
    _do(machine, {**step, "value": "1-2"})
    (tmp_path / _DROP_IN).write_text("[Slice]\nAllowedCPUs=1 2\n# theirs\n")
    state, before = tree_state(tmp_path), kind.look(machine, step)
    _do(machine, step)
    kind.put_back(machine, step, _ITEM, before[_ITEM])
    assert tree_state(tmp_path) == state


def test_undone_after_a_reboot(machine: Machine, tmp_path: Path) -> None:
    """Then it is the files that give the unit its CPUs: once they are gone, only setting the property frees it now."""
    kind, step = kind_named("property"), sample_steps()["property"]
    (tmp_path / _DROP_IN).parent.mkdir(parents=True)
    (tmp_path / _DROP_IN).write_text("[Slice]\nAllowedCPUs=0-3\n# of a boot long ago\n")
    before = kind.look(machine, step)
    _do(machine, step)
    shutil.rmtree(tmp_path / "run/systemd")
    (tmp_path / "proc/sys/kernel/random/boot_id").write_text("another\n")
    assert kind.lasts(step)
    assert kind.reached(step, _ITEM, kind.look(machine, step)[_ITEM])
    kind.put_back(machine, step, _ITEM, before[_ITEM])
    assert kind.same(step, before[_ITEM], kind.look(machine, step)[_ITEM])
    assert (tmp_path / "sys/fs/cgroup/system.slice/cpuset.cpus.effective").read_text() == "0-3\n"

    (tmp_path / _DROP_IN).parent.mkdir(parents=True)
    (tmp_path / _DROP_IN).write_text("as systemd writes while it is put back")
    kind.tidy(machine, step, _ITEM, before[_ITEM])
    assert not (tmp_path / _DROP_IN).parent.exists()


def test_a_unit_of_which_nothing_is_known(machine: Machine) -> None:
    with pytest.raises(StepFailed, match=r"systemd says nothing of AllowedCPUs of no\.slice"):
        kind_named("property").look(machine, {**sample_steps()["property"], "unit": "no.slice"})


def test_a_reload_follows_the_files_and_moves_nothing(machine: Machine, tmp_path: Path) -> None:
    """What systemd says changes with a reload; the control group does not, until the next boot."""
    state, reload = tree_state(tmp_path), sample_steps()["reload"]
    path = "/etc/systemd/system/user.slice.d/50-test.conf"
    step = {
        **sample_steps()["file-new"],
        "path": path,
        "text": "[Slice]\nAllowedCPUs=3\nAllowedCPUs=\nAllowedCPUs=0 1\n",
    }
    kind = kind_named("file")
    before = kind.look(machine, step)
    kind.do(machine, step, before)
    assert "Id=user.slice\nAllowedCPUs=\n" in _shown(tmp_path)
    _do(machine, reload)
    assert "Id=user.slice\nAllowedCPUs=0-1\n" in _shown(tmp_path)
    assert (tmp_path / "sys/fs/cgroup/user.slice/cpuset.cpus.effective").read_text() == "0-3\n"
    kind.put_back(machine, step, path, before[path])
    _do(machine, reload)
    assert tree_state(tmp_path) == state
    with pytest.raises(StepFailed, match="nothing is known of a manager"):
        machine_of(Tree()).reload("cron")


def test_services(machine: Machine) -> None:
    stop, restart = sample_steps()["service"], sample_steps()["service-restart"]
    kind = kind_named("service")
    assert _do(machine, restart) == {"outcome": "changed"}
    assert kind.again(restart)
    assert not kind.again(stop)
    assert _do(machine, stop) == {"outcome": "changed"}
    assert _do(machine, stop) == {"outcome": "already"}
    assert _do(machine, restart) == {"outcome": "already", "why": "it does not run"}
    assert kind.same(stop, "inactive", "failed")
    with pytest.raises(StepFailed, match="the tree says nothing of it"):
        kind.do(machine, {**stop, "unit": "no.service", "do": "start"}, {})


def test_isolating_ends_the_graphical_target_alone(machine: Machine) -> None:
    """multi-user.target is active in a graphical session, too: that alone does not make a machine headless."""
    kind, step = kind_named("isolate"), sample_steps()["isolate"]
    before = kind.look(machine, step)
    assert before == {"multi-user.target": {"target": "active", "back": "active", "active": "graphical.target"}}
    assert _do(machine, step) == {"outcome": "changed"}
    assert _do(machine, step) == {"outcome": "already"}
    with pytest.raises(StepFailed, match="no target to go back to"):
        kind.put_back(machine, step, "multi-user.target", {"target": "inactive", "back": "inactive"})
    kind.put_back(machine, step, "multi-user.target", before["multi-user.target"])
    assert kind.look(machine, step) == before
