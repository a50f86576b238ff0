"""Put ``sparktune render`` together: which node, the flow, the form."""

__all__ = ["run_render"]

import sys
from pathlib import Path
from typing import Literal

from sparktune.cli._nodes import targets_of
from sparktune.errors import UsageError
from sparktune.flows.render import render_files, render_node
from sparktune.host.node_environment import GidChoice, NodeEnvironment
from sparktune.report.node_environment import environment_file, environment_json, environment_options


def run_render(
    node: str,
    root: Path | None,
    folder: Path | None,
    *,
    form: Literal["docker", "env"],
    gid: GidChoice,
    as_json: bool,
) -> None:
    """Print the environment of one node. Raises UsageError where it is not clear which one is meant."""
    found = _environment(node, root, folder, gid)
    if as_json:
        sys.stdout.write(environment_json(found))
    else:
        sys.stdout.write(environment_file(found) if form == "env" else environment_options(found))


def _environment(node: str, root: Path | None, folder: Path | None, gid: GidChoice) -> NodeEnvironment:
    if folder is not None:
        if root is not None:
            message = "--from and --root are two ways to say what is looked at"
            raise UsageError(message, hint="give one of them")
        return render_files(folder, node, gid=gid)
    targets = targets_of(node, (root,) if root is not None else ())
    if len(targets) != 1:
        names = ", ".join(target.name for target in targets)
        message = f"one node at a time: there are {names}"
        raise UsageError(message, hint=f"name one: --node {targets[0].name}" if targets else "name one with --node")
    return render_node(targets[0], gid=gid)
