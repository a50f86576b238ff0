"""The practice service of ``sparktune lab init``, on a free port of this machine, stopped in the end."""

__all__ = ["KNOB", "LabService", "lab_service"]

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest
from tests.support.cli import run_sparktune
from tests.support.ports import free_port

from sparktune.host.lab.service import KNOB


@dataclass(frozen=True, slots=True, kw_only=True)
class LabService:
    """Its folder; commands run in there."""

    folder: Path

    def serve(self, verb: str) -> subprocess.CompletedProcess[str]:
        """Run ``./serve.sh``."""
        return subprocess.run(
            ["./serve.sh", verb], cwd=self.folder, capture_output=True, text=True, timeout=60, check=False
        )

    def restart(self) -> None:
        """Stop it and start it again, as whoever deploys it would."""
        assert self.serve("stop").returncode == 0
        assert self.serve("start").returncode == 0

    def revert(self) -> None:
        """Let the file be what its recipe ships, as a pull does; nobody is told."""
        copyfile(self.folder / "upstream" / "service.env", self.folder / "service.env")

    @property
    def live(self) -> str:
        """What the process itself has, beside everything that sparktune says of it."""
        pid = (self.folder / "service.pid").read_text().strip()
        variables = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
        (value,) = (one.partition("=")[2] for one in variables if one.startswith(f"{KNOB}="))
        return value

    def drift(self) -> tuple[int, dict[str, Any]]:
        """Return the exit code of ``sparktune drift`` and its row of the knob."""
        done = run_sparktune("drift", "--json")
        (row,) = (row for row in done.json["rows"] if row["key"].endswith(KNOB))
        return done.code, row


@pytest.fixture
def lab_service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LabService]:
    """Make a practice cluster, start its service, and be in the service's folder."""
    done = run_sparktune("lab", "init", str(tmp_path / "lab"), "--port", str(free_port()))
    assert done.code == 0, done.err
    service = LabService(folder=tmp_path / "lab" / "service")
    monkeypatch.chdir(service.folder)
    try:
        started = service.serve("start")
        assert started.returncode == 0, started.stderr
        yield service
    finally:
        service.serve("stop")
