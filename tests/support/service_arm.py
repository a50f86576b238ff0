"""Arms of a service in containers of the fake docker: what a launcher of services plans, in its smallest form.

Each arm has a file of its own, so that nothing has to be changed on this machine as root.
"""

__all__ = ["LABEL", "Service"]

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.arms import server_command

from sparktune.model.arm_action import Action, AwaitAnswer, AwaitMemory, KeepLog, KillService, RunOnNode, ServiceProcess
from sparktune.model.launcher import ArmPlan, LiveService

LABEL = "com.docker.compose.service"


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """One container, ``name``, that serves at ``port`` with a number of slots; its file is in ``folder``."""

    folder: Path
    port: int
    name: str = "serve"
    habits: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def process(self) -> ServiceProcess:
        """How its processes are known."""
        return ServiceProcess(node="", labels={LABEL: self.name})

    def file(self, slots: int, variable: str | None = None) -> Path:
        """Write the file of an arm."""
        env = {**self.environment, "ARMS_TEST": str(self.folder), **({} if variable is None else {"KNOB": variable})}
        argv = server_command(self.port, "--slots", str(slots), *self.habits)
        path = self.folder / f"{self.name}-{slots}-{'unset' if variable is None else variable or 'empty'}.json"
        path.write_text(json.dumps({"name": self.name, "labels": {LABEL: self.name}, "argv": argv, "env": env}))
        return path

    def compose(self, file: Path, *words: str) -> RunOnNode:
        """Return a command of docker compose."""
        return RunOnNode(node="", argv=("docker", "compose", "-f", str(file), *words), limit_s=60.0)

    def stop(self) -> tuple[Action, ...]:
        """Return what ends the service."""
        return (
            KeepLog(node="", argv=("docker", "logs", self.name), name=self.name),
            RunOnNode(node="", argv=("docker", "stop", self.name), limit_s=60.0, codes=(0, 1)),
            AwaitMemory(service=self.process, limit_s=20.0),
        )

    def original(self) -> tuple[Action, ...]:
        """Return what starts the service as it was before: with one slot."""
        return (self.compose(self.file(1), "up", "-d"), AwaitAnswer(limit_s=60.0))

    def plan(self, slots: int, variable: str | None = None, wait_s: float = 60.0) -> ArmPlan:
        """Return the plan of an arm."""
        return ArmPlan(
            actions=(
                self.compose(self.file(slots, variable), "up", "-d", "--force-recreate"),
                AwaitAnswer(limit_s=wait_s),
            ),
            readers=(
                LiveService(
                    service=self.process, flags={"--slots": str(slots)}, environment={"KNOB": variable}, cpus=_cpus()
                ),
            ),
            takes="restart",
            leave=self.stop(),
            kill=(KillService(service=self.process),),
        )


def _cpus() -> str:
    return ",".join(map(str, sorted(os.sched_getaffinity(0))))
