"""A real sparkrun on this machine, with stand-ins for what it has not: a GPU, the limits and the ssh of a Spark.

``docker`` drops the options for GPUs and limits and hands on the rest, ``nvidia-smi`` tells of one GB10, ``ssh`` runs
its command here. Everything that sparkrun keeps is in a home of its own.

Source: sparkrun 0.4.2: it asks ``nvidia-smi`` for name, memory, driver and compute capability.
"""

__all__ = ["SparkrunNode", "sparkrun_node"]

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.support.debian_tree import needed
from tests.support.dockerd import Docker, dockerd
from tests.support.ports import free_port
from tests.support.python_image import SERVER_INSIDE, python_image

_IMAGE = "arm-recipe-test"
_PROGRAMS = (
    "sh",
    "bash",
    "sleep",
    "base64",
    "cat",
    "tr",
    "env",
    "mkdir",
    "chmod",
    "nohup",
    "tail",
    "kill",
    "ps",
    "id",
    "ls",
    "grep",
    "sed",
    "date",
    "rm",
    "mv",
    "cp",
    "touch",
    "head",
    "setsid",
)
_DOCKER = """\
#!/bin/sh
if [ "$1" != run ]; then exec {docker} "$@"; fi
for word; do
    shift
    case "$word" in --gpus | --ulimit | --device) drop=1; continue ;; esac
    if [ -n "$drop" ]; then drop=; continue; fi
    set -- "$@" "$word"
done
exec {docker} "$@"
"""
_SSH = """\
#!/bin/sh
while [ $# -gt 0 ]; do
    case "$1" in -o | -i | -l | -p | -F) shift 2 ;; -*) shift ;; *) shift; break ;; esac
done
exec sh -c "$*"
"""
_NVIDIA = """\
#!/bin/sh
case "$*" in
*name,memory.total*) echo "NVIDIA GB10, 24105" ;;
*driver_version*) echo 580.173.02 ;;
*compute_cap*) echo 12.1 ;;
esac
"""
_RECIPE = """\
recipe_version: '2'
model: {model}
runtime: vllm
container: {image}
max_nodes: 1
readiness: {{inference: false}}
distribution_config: {{models: {{enabled: false}}, containers: {{enabled: false}}}}
defaults:
  host: 127.0.0.1
  port: {port}
  tensor_parallel: 1
  gpu_memory_utilization: 0.1
  slots: 3  # as it was earned
env:
  LIMIT: "1"
command: |
  /usr/bin/python3 {server} {{port}} --host {{host}} --slots {{slots}} --served-model-name m
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SparkrunNode:
    """``environment`` leads to it: HOME, PATH, DOCKER_HOST; ``recipe`` serves at ``port``."""

    docker: Docker
    environment: dict[str, str]
    recipe: Path
    port: int

    def sparkrun(self, *words: str) -> str:
        """Run sparkrun; it must succeed."""
        environment = {**os.environ, **self.environment}
        done = subprocess.run(
            (*needed("sparkrun"), *words), capture_output=True, text=True, check=False, env=environment
        )
        assert done.returncode == 0, f"sparkrun {words}: {done.stdout}{done.stderr}"
        return done.stdout


@contextmanager
def sparkrun_node(folder: Path) -> Iterator[SparkrunNode]:
    """Make it; skip where there is no sparkrun in PATH."""
    program = shutil.which("sparkrun")
    if program is None:
        pytest.skip("needs sparkrun in PATH (from PyPI, Python 3.12 or newer)")
    (docker,) = needed("docker")
    programs, home, model = folder / "bin", folder / "home", folder / "model"
    for made in (programs, home, model):
        made.mkdir()
    for name, text in (("docker", _DOCKER.format(docker=docker)), ("ssh", _SSH), ("nvidia-smi", _NVIDIA)):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    for name in ("config.json", "tokenizer.json", "model.safetensors"):
        (model / name).write_text("{}")
    port = free_port()
    recipe = folder / "arm.yaml"
    recipe.write_text(_RECIPE.format(model=model, image=_IMAGE, port=port, server=SERVER_INSIDE))
    with dockerd(reachable=True) as daemon:
        daemon.run("import", "-", _IMAGE, stdin=python_image(_PROGRAMS))
        environment = {
            "HOME": str(home),
            "PATH": f"{programs}:{Path(program).parent}:{os.environ['PATH']}",
            "DOCKER_HOST": daemon.host,
            "SPARKRUN_NO_TELEMETRY": "1",
            "HF_HUB_OFFLINE": "1",
        }
        node = SparkrunNode(docker=daemon, environment=environment, recipe=recipe, port=port)
        node.sparkrun("cluster", "create", "lab", "--hosts", "127.0.0.1")
        yield node
