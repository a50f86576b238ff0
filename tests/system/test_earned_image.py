"""Evidence and the image that really runs: a new image under the same tag makes it stale, whatever the tag says."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.cli import run_sparktune
from tests.support.compose_project import ComposeProject, compose_project

from sparktune.flows.earned import running_image
from sparktune.io.drift.service import DriftTargets
from sparktune.model.drift import ServicePlace

pytestmark = pytest.mark.root

_EARNED = """\
schema: 1
settings:
- knob: LIMIT
  value: {{env: {{LIMIT: '2'}}}}
  instead_of: {{env: {{LIMIT: '1'}}}}
  scope: {{service: house, launcher: compose, model: m, image_digest: '{image}', workload: ab12}}
  evidence: {{run: e1, date: 2026-10-01, metric: ttft_max_s, better: lower, ratio: 1.2, low: 1.1, high: 1.3}}
"""
_CONFIG = """\
services:
  house:
    endpoint: http://127.0.0.1:{port}/v1
    model: m
    launcher: compose
    where: [{{file: '{folder}/compose.yaml', service: server}}]
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ComposeProject]:
    """Start a daemon and lead the program to it."""
    with compose_project() as started:
        monkeypatch.setenv("DOCKER_HOST", started.docker.host)
        with started.in_folder(tmp_path / "service") as project:
            yield project


def test_evidence_is_compared_with_what_runs(
    project: ComposeProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.up("server")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sparktune.yaml").write_text(_CONFIG.format(port=project.port, folder=project.folder))
    where = ({"node": "", "file": f"{project.folder}/compose.yaml", "service": "server"},)
    image = asyncio.run(running_image(ServicePlace(name="house", launcher="compose", where=where), DriftTargets()))
    assert image is not None
    assert image.startswith("sha256:")

    def told(digest: str, *flags: str) -> tuple[str, list[str], list[str]]:
        (tmp_path / "earned.yaml").write_text(_EARNED.format(image=digest))
        (one,) = run_sparktune("earned", "list", "--json", *flags).json["settings"]
        return one["state"], one["stale"], one["unknown"]

    assert told(image, "--live") == ("current", [], [])
    assert told(image) == ("unknown", [], ["which image runs is not known"])
    state, stale, _ = told("sha256:" + "0" * 64, "--live")
    assert (state, len(stale)) == ("stale", 1)
    assert stale[0].startswith("the image was sha256:000000000000 then, and is sha256:")
