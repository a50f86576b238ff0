"""Programs that manage a node, as its agent starts them: stand-ins write down their words, and refuse in their own."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from tests.support.steps import CONTAINER, kind_named, sample_steps

from sparktune.agent.failures import StepFailed
from sparktune.agent.machines import machine_of
from sparktune.agent.tree import Tree

_LOG = "words.log"


class _Programs:
    """A folder with stand-ins; each writes its words to a file and then does what its script says."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        for name in ("systemctl", "udevadm", "docker"):
            self.says(name, "exit 0")

    def says(self, name: str, script: str) -> None:
        path = self._folder / name
        log = shlex.quote(str(self._folder / _LOG))
        path.write_text(f'#!/bin/sh\necho "$(basename "$0") $*; $LC_ALL" >> {log}\n{script}\n')
        path.chmod(0o755)

    def started(self) -> list[str]:
        log = self._folder / _LOG
        words = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        assert all(line.endswith("; C") for line in words), "in a language of its own nothing can be understood"
        return [line.removesuffix("; C") for line in words]


@pytest.fixture(name="programs")
def _programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> _Programs:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return _Programs(tmp_path)


def test_reloads(programs: _Programs) -> None:
    machine, kind = machine_of(Tree()), kind_named("reload")
    for manager in ("systemd", "udev"):
        kind.do(machine, {"kind": "reload", "manager": manager}, {})
    assert programs.started() == ["systemctl daemon-reload", "udevadm control --reload"]
    programs.says("systemctl", "echo 'Failed to connect to bus: No such file or directory' >&2; exit 1")
    with pytest.raises(StepFailed, match="systemctl daemon-reload: Failed to connect to bus"):
        kind.do(machine, {"kind": "reload", "manager": "systemd"}, {})


def test_services_and_targets(programs: _Programs) -> None:
    """What is asked for afterwards decides, not the exit code: a unit can fail right after it was started."""
    machine = machine_of(Tree())
    programs.says("systemctl", 'case "$1" in show) echo LoadState=loaded; echo ActiveState=active;; esac')
    done = kind_named("service").do(machine, sample_steps()["service-restart"], {})
    assert done == {"irqbalance.service": {"outcome": "changed"}}
    show = "systemctl show --property=LoadState,ActiveState -- irqbalance.service"
    assert programs.started() == [show, "systemctl --no-ask-password try-restart -- irqbalance.service", show]
    with pytest.raises(StepFailed, match=r"irqbalance\.service is active after stop"):
        kind_named("service").do(machine, sample_steps()["service"], {})
    with pytest.raises(StepFailed, match=r"graphical\.target is active after isolating"):
        kind_named("isolate").do(machine, sample_steps()["isolate"], {})
    assert "systemctl --no-ask-password isolate -- multi-user.target" in programs.started()


def test_a_property_and_its_refusal(programs: _Programs) -> None:
    machine, kind, step = machine_of(Tree()), kind_named("property"), sample_steps()["property"]
    answer = "echo LoadState=loaded; echo AllowedCPUs=0-4 10-14; echo ControlGroup="
    programs.says("systemctl", f'case "$1" in show) {answer};; esac')
    done = kind.do(machine, {**step, "value": "0-3"}, {})
    assert done["system.slice AllowedCPUs"] == {
        "outcome": "ineffective",
        "why": "systemd has 0-4,10-14 after it was set to 0-3",
    }
    assert "systemctl set-property --runtime -- system.slice AllowedCPUs=0-3" in programs.started()
    programs.says("systemctl", "echo LoadState=not-found; echo AllowedCPUs=")
    with pytest.raises(StepFailed, match=r"system\.slice is not-found"):
        kind.look(machine, step)


def test_containers(programs: _Programs, tmp_path: Path) -> None:
    machine, kind, step = machine_of(Tree()), kind_named("container"), sample_steps()["container"]
    inspected = tmp_path / "inspected.json"
    inspected.write_text(json.dumps([{"Id": CONTAINER, "HostConfig": {"CpusetCpus": "2,3"}}]))
    programs.says("docker", f'case "$1" in container) cat {shlex.quote(str(inspected))};; esac')
    assert kind.do(machine, step, {}) == {CONTAINER: {"outcome": "already"}}
    kind.put_back(machine, step, CONTAINER, {"cpus": ""})
    assert programs.started()[-1] == f"docker update --cpuset-cpus=0-3 -- {CONTAINER}"
    programs.says("docker", f"echo 'Error response from daemon: No such container: {CONTAINER}' >&2; exit 1")
    assert kind.look(machine, step) == {CONTAINER: None}
    programs.says("docker", "echo 'Cannot connect to the Docker daemon. Is it running?' >&2; exit 1")
    with pytest.raises(StepFailed, match="Cannot connect to the Docker daemon"):
        kind.look(machine, step)


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("service", {"unit": "--root=/tmp"}),
        ("service", {"unit": "a.service\nb.service"}),
        ("isolate", {"target": "-H evil.target"}),
        ("property", {"unit": "a.slice", "name": "Allowed CPUs"}),
        ("container", {"container": "vllm"}),
        ("container", {"container": "--help"}),
        ("reload", {"manager": "cron"}),
    ],
)
def test_nothing_else_is_started(programs: _Programs, name: str, fields: dict[str, Any]) -> None:
    """Only names go into command lines; whoever sends a step cannot make it into another command."""
    kind, step = kind_named(name), {**sample_steps()[name], **fields}
    with pytest.raises(StepFailed):
        kind.do(machine_of(Tree()), step, {})
    assert programs.started() == []


def test_a_program_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sparktune.agent.running._SYSTEM_FOLDERS", str(tmp_path))
    with pytest.raises(StepFailed, match="docker: it is not installed"):
        kind_named("container").look(machine_of(Tree()), sample_steps()["container"])
