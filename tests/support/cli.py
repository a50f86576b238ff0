"""Run the command line as a person does: in a process of its own, without a terminal."""

__all__ = ["Finished", "run_sparktune", "start_sparktune"]

import json
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

_LIMIT_S = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """What it printed, as JSON."""
        return json.loads(self.out)

    @property
    def cell(self) -> dict[str, Any]:
        """The only cell of a bench's JSON."""
        (cell,) = self.json["cells"]
        return cell


def run_sparktune(*arguments: str, limit_s: float = _LIMIT_S) -> Finished:
    """Run to the end; a traceback fails the calling test."""
    process = subprocess.run(
        [sys.executable, "-m", "sparktune", *arguments], capture_output=True, text=True, timeout=limit_s, check=False
    )

    assert "Traceback" not in process.stderr, process.stderr
    return Finished(code=process.returncode, out=process.stdout, err=process.stderr)


def start_sparktune(*arguments: str) -> subprocess.Popen[str]:
    """Start and return at once; the caller ends it."""
    return subprocess.Popen(
        [sys.executable, "-m", "sparktune", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
