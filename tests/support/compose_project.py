"""A compose project of small servers on a real docker: files to edit, containers to read."""

__all__ = ["ComposeProject", "compose_project"]

import json
import subprocess
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.debian_tree import needed
from tests.support.dockerd import Docker, dockerd
from tests.support.ports import free_port
from tests.support.python_image import ENTRY, SERVER_INSIDE, python_image

_IMAGE = "arm-server-test"
_FILES = {
    "compose.yaml": """\
# three servers of one image
services:
  server:
    image: {image}  # imported
    network_mode: host
    init: true
    environment:
      LIMIT: "1"  # one by one
      DEPTH: ${{DEPTH:-3}}
    command: /usr/bin/python3 {server} {port} --slots 3
  rank1:
    image: {image}
    network_mode: host
    init: true
    command: [/usr/bin/python3, {server}, "{other}"]
    environment: {{DEPTH: "${{DEPTH:-3}}"}}
  shadowed:
    image: {image}
    network_mode: host
    environment: [LIMIT=1]
    entrypoint: [/bin/sh, {entry}]
    command: [/usr/bin/python3, {server}, "{port}", --slots, "3"]
""",
    ".env": "# depth of the queue\nDEPTH=5\n",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ComposeProject:
    """``folder`` has the files, the server answers at ``port``."""

    docker: Docker
    folder: Path
    port: int

    @contextmanager
    def in_folder(self, folder: Path) -> Iterator["ComposeProject"]:
        """Write the files there; afterwards nothing of them runs."""
        folder.mkdir()
        project = replace(self, folder=folder, port=free_port())
        for name, text in _FILES.items():
            filled = text.format(image=_IMAGE, server=SERVER_INSIDE, entry=ENTRY, port=project.port, other=free_port())
            (folder / name).write_text(filled)
        try:
            yield project
        finally:
            ids = self.docker.run("ps", "--all", "--quiet").split()
            if ids:
                self.docker.run("rm", "--force", *ids)

    def up(self, *services: str, environment: Mapping[str, str] | None = None) -> None:
        """Bring services up as a person does."""
        done = subprocess.run(
            (*needed("docker"), "compose", "up", "--detach", *services),
            cwd=self.folder,
            env={**self.docker.environment, **(environment or {})},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr

    def files(self) -> dict[str, bytes]:
        """Return every file of the project."""
        return {path.name: path.read_bytes() for path in sorted(self.folder.iterdir())}

    def container(self, service: str) -> dict[str, Any]:
        """Return what a service's container was created with; it runs."""
        name = f"{self.folder.name}-{service}-1"
        found = json.loads(self.docker.run("inspect", name))[0]
        assert found["State"]["Running"]
        config = {key: found["Config"][key] for key in ("Env", "Cmd", "Entrypoint", "Image")}
        return {**config, "Env": sorted(config["Env"])}

    def answer(self, path: str) -> Any:  # noqa: ANN401 - JSON
        """Return what the server says at a path."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=30) as answer:
            return json.load(answer)


@contextmanager
def compose_project() -> Iterator[ComposeProject]:
    """Run a daemon with the servers' image; skip where docker compose of version 2 is not there."""
    asked = subprocess.run((*needed("docker"), "compose", "version"), capture_output=True, check=False)
    if asked.returncode:
        pytest.skip("needs docker compose, version 2 (scripts/compose_plugin.sh)")
    with dockerd(reachable=True) as docker:
        docker.run("import", "--change", "ENV BAKED=image", "-", _IMAGE, stdin=python_image())
        yield ComposeProject(docker=docker, folder=Path("/"), port=0)
