"""The sparkrun launcher on a real sparkrun and a real docker daemon; see ``launcher_parts``."""

__all__ = ["sparkrun_parts"]

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from tests.support.arms import hold_settings
from tests.support.launcher_parts import Parts, Shared
from tests.support.sparkrun_node import SparkrunNode, sparkrun_node

from sparktune.model.launcher import ArmSpec

_RUN = ("--cluster=lab", "--offline", "--no-auto-detect", "--no-follow")


@contextmanager
def sparkrun_parts(folder: Path, _port: int, shared: Shared) -> Iterator[Parts]:
    """One container of a recipe; it ran with three slots before."""
    node = shared.of(_node)
    with mock.patch.dict(os.environ, node.environment):
        _run(node)
        try:
            yield Parts(
                launcher="sparkrun",
                spec=ArmSpec(
                    arms={"A": {}, "B": {"options": {"slots": 4}}},
                    where=({"node": "", "recipe": str(node.recipe), "cluster": "lab"},),
                ),
                settings=hold_settings(folder, node.port, memory_still_s=1.0),
                tells="--slots",
                alive=lambda: [int(pid) for pid in _pids(node)],
                sabotage={
                    "it died": lambda: _each(node, "kill"),
                    "it was started anew": lambda: _each(node, "restart", "--time", "1"),
                    "it was run anew with another option": lambda: _other(node),
                },
                never_ready={"options": {"slots": "many"}},
                files=(node.recipe,),
                ran_before=True,
                slots={"A": "3", "B": "4"},
            )
        finally:
            _removed(node)


@contextmanager
def _node() -> Iterator[SparkrunNode]:
    with tempfile.TemporaryDirectory() as folder, sparkrun_node(Path(folder)) as node:
        yield node


def _run(node: SparkrunNode, *more: str) -> None:
    node.sparkrun("run", str(node.recipe), *_RUN, *more)


def _other(node: SparkrunNode) -> None:
    """Run the recipe anew, with the labels that the arm has and with another option."""
    (container,) = node.docker.run("ps", "--quiet").split()
    labels = json.loads(node.docker.run("inspect", "--format", "{{json .Config.Labels}}", container))
    _removed(node)
    ours = (f"{name}={value}" for name, value in labels.items() if name.startswith("sparktune."))
    _run(node, "-o", "slots=5", *(word for label in ours for word in ("--label", label)))


def _removed(node: SparkrunNode) -> None:
    ids = node.docker.run("ps", "--all", "--quiet").split()
    if ids:
        node.docker.run("rm", "--force", *ids)


def _each(node: SparkrunNode, *words: str) -> None:
    ids = node.docker.run("ps", "--quiet").split()
    if ids:
        node.docker.run(*words, *ids)


def _pids(node: SparkrunNode) -> list[str]:
    ids = node.docker.run("ps", "--quiet").split()
    return node.docker.run("inspect", "--format", "{{.State.Pid}}", *ids).split() if ids else []
