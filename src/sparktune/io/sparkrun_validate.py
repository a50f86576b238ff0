"""``sparkrun recipe validate --json``, where sparkrun is installed: asked offline, and for a bounded time.

Source: sparkrun 0.4.2: exit code 0 or 1 with one JSON object on stdout; ``SPARKRUN_NO_TELEMETRY=1`` keeps it from
reporting home, ``HF_HUB_OFFLINE=1`` from asking the hub.
"""

__all__ = ["Validated", "validate_recipe"]

import json
import os
import shutil
import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sparktune.units import Seconds

_LIMIT_S: Final[Seconds] = 60.0
_OFFLINE: Final = {"HF_HUB_OFFLINE": "1", "SPARKRUN_NO_TELEMETRY": "1"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Validated:
    """``answer`` is what sparkrun printed, None where it did not; then ``why`` says for what reason."""

    answer: Any
    why: str = ""


def validate_recipe(path: Path, *, limit_s: Seconds = _LIMIT_S) -> Validated:
    """Ask sparkrun about a recipe; never raises for what it does."""
    program = shutil.which("sparkrun")
    if program is None:
        return Validated(
            answer=None, why="sparkrun is not on PATH, so that its own validation of recipes is not in this"
        )
    try:
        child = subprocess.Popen(  # noqa: S603 - words, no shell; the path is an argument
            [program, "recipe", "validate", str(path), "--json"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **_OFFLINE},
            start_new_session=True,
        )
    except OSError as error:
        return Validated(answer=None, why=f"sparkrun cannot be started: {error.strerror or error}")
    try:
        out, _ = child.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.communicate()
        return Validated(answer=None, why=f"sparkrun did not answer in {limit_s:g} s about {path}")
    return _read(out, path)


def _read(out: bytes, path: Path) -> Validated:
    try:
        answer = json.loads(out)
    except (ValueError, RecursionError):
        return Validated(answer=None, why=f"sparkrun recipe validate {path} printed no JSON")
    if not isinstance(answer, dict):
        return Validated(answer=None, why=f"sparkrun recipe validate {path} printed something else than was expected")
    return Validated(answer=answer)
