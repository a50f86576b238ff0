"""Run the command line as a person does: in a process of its own, without a terminal."""

__all__ = ["Finished", "run_sparktune", "start_sparktune"]

import json
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from typing import Any

from tests.support.starter import Starter

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
    starter = _starter()
    if starter.fits():
        code, out, err = starter.run(arguments, limit_s)
    else:
        command = [sys.executable, "-m", "sparktune", *arguments]
        ended = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=limit_s, check=False)
        code, out, err = ended.returncode, ended.stdout, ended.stderr
    finished = Finished(code=code, out=_text(out), err=_text(err))
    assert "Traceback" not in finished.err, finished.err
    return finished


def _text(data: bytes) -> str:
    return data.decode().replace("\r\n", "\n")


@cache
def _starter() -> Starter:
    return Starter()


def start_sparktune(*arguments: str) -> subprocess.Popen[str]:
    """Start and return at once; the caller ends it."""
    return subprocess.Popen(
        [sys.executable, "-m", "sparktune", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
