"""Services that a sweep is made over, on a real docker and on a real systemd: their files, and what they serve."""

__all__ = ["SweptService", "compose_swept", "unit_swept"]

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock
from urllib.request import urlopen

from tests.support.compose_project import ComposeProject
from tests.support.forward import forwarded
from tests.support.hosts import FAR_ADDRESS
from tests.support.nspawn import BootedNode

_SERVER = Path(__file__).parent / "paced_server.py"
_NOW_MS = 60
_COMPOSE = """\
# one server, as it has run for months
services:
  server:
    image: arm-server-test
    network_mode: host
    init: true
    volumes: [./paced_server.py:/srv/paced_server.py:ro]
    environment:
      ITL_MS: "60"   # the time of a token
    command: /usr/bin/python3 /srv/paced_server.py {port}
"""
_PORT = 8197
_UNIT = f"""\
[Service]
EnvironmentFile=/etc/default/paced
ExecStart=/usr/bin/python3 /srv/paced_server.py {_PORT} --host 0.0.0.0
Restart=no
"""
_UNIT_FILES = {
    "etc/systemd/system/paced.service": _UNIT,
    "etc/default/paced": "# the time of a token\nITL_MS=60\n",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SweptService:
    """It takes 60 ms a token now, by the variable ITL_MS; ``content`` is what a sweep's file says of it."""

    content: Mapping[str, Any]
    port: int
    read: Callable[[], Mapping[str, bytes]]
    now_ms: float = _NOW_MS

    def served_ms(self) -> float:
        """Return the time of a token that the running server itself tells."""
        with urlopen(f"http://127.0.0.1:{self.port}/props", timeout=10) as answer:
            return float(json.load(answer)["step_ms"])


@contextmanager
def compose_swept(project: ComposeProject) -> Iterator[SweptService]:
    """A container that runs, and its project's files."""
    (project.folder / "paced_server.py").write_text(_SERVER.read_text())
    (project.folder / "compose.yaml").write_text(_COMPOSE.format(port=project.port))
    project.up("server")
    with mock.patch.dict(os.environ, {"DOCKER_HOST": project.docker.host}):
        yield SweptService(
            content={
                "launcher": "compose",
                "url": f"http://127.0.0.1:{project.port}/v1",
                "where": [{"node": "", "file": str(project.folder / "compose.yaml"), "service": "server"}],
            },
            port=project.port,
            read=project.files,
        )


@contextmanager
def unit_swept(node: BootedNode) -> Iterator[SweptService]:
    """A unit that runs, and every file that makes it what it is."""
    (node.root / "srv/paced_server.py").write_text(_SERVER.read_text())
    for name, text in _UNIT_FILES.items():
        (node.root / name).write_text(text)
    node.run("systemctl daemon-reload; systemctl start paced.service")
    ways = {"SPARKTUNE_SSH": node.ssh, "XDG_RUNTIME_DIR": str(node.folder)}
    try:
        with mock.patch.dict(os.environ, ways), forwarded(node.near, FAR_ADDRESS, _PORT) as port:
            yield SweptService(
                content={
                    "launcher": "systemd",
                    "url": f"http://127.0.0.1:{port}/v1",
                    "where": [{"node": node.name, "unit": "paced"}],
                },
                port=port,
                read=lambda: _files(node),
            )
    finally:
        node.run("systemctl stop paced.service")
        for name in (*_UNIT_FILES, "srv/paced_server.py"):
            (node.root / name).unlink()
        node.run("systemctl daemon-reload; systemctl reset-failed")


def _files(node: BootedNode) -> Mapping[str, bytes]:
    folders = ("etc/systemd/system", "etc/default")
    found = [path for folder in folders for path in (node.root / folder).rglob("*") if path.is_file()]
    return {str(path): path.read_bytes() for path in found if not path.is_symlink()}
