"""A service that a person started by hand: a file of variables, a start script, and a server that tells what it got.

``hand_made(folder, port)`` writes ``service.env`` (a knob of 1, with comments) and ``serve.sh start|stop``.
"""

__all__ = ["HandMade", "hand_made"]

import os
import shlex
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.arms import SERVER, living

KNOB = "DSPARK_MAX_INFLIGHT_PREFILLS"
_VARIABLES = f"# limits of prefill\nexport {KNOB}=1   # earned once, see the notes\nOTHER='a b'\n"
_SCRIPT = """\
#!/bin/sh
# started by hand
cd {folder}
case "$1" in
start)
    set -a; . ./service.env; set +a
    {override}
    nohup {command} >> server.log 2>&1 < /dev/null &
    echo $! > server.pid
    ;;
stop) kill "$(cat server.pid)" ;;
esac
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandMade:
    """``folder`` has its files; it serves at ``port``."""

    folder: Path
    port: int

    @property
    def variables(self) -> Path:
        """The file in which the knob is."""
        return self.folder / "service.env"

    def where(self, *, stops: bool = True) -> dict[str, Any]:
        """Return the part as a launcher takes it."""
        script = str(self.folder / "serve.sh")
        found = {"file": [str(self.variables), script], "start": [script, "start"], "port": self.port}
        return {**found, "stop": [script, "stop"]} if stops else found

    def write_script(self, *words: str, override: str = ":") -> None:
        """Write the start script; ``override`` is a line that it runs before the server is started."""
        command = shlex.join([sys.executable, str(SERVER), str(self.port), *words])
        path = self.folder / "serve.sh"
        path.write_text(_SCRIPT.format(folder=shlex.quote(str(self.folder)), command=command, override=override))
        path.chmod(0o755)

    def start(self) -> None:
        """Start it, as a person would."""
        environment = {**os.environ, "ARMS_TEST": str(self.folder)}
        subprocess.run([self.folder / "serve.sh", "start"], check=True, env=environment)

    def pids(self) -> list[int]:
        """Return the processes of its server."""
        return [one.pid for one in living(self.folder) if any(word.endswith("arm_server.py") for word in one.argv)]

    def live(self) -> list[str]:
        """Return the knob as each of its server processes has it."""
        found = []
        for pid in self.pids():
            words = []
            with suppress(OSError):  # one that has ended meanwhile has it no more
                words = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
            found += [word.partition("=")[2] for word in words if word.startswith(f"{KNOB}=")]
        return found

    def end(self) -> None:
        """End all of it."""
        for pid in self.pids():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def hand_made(folder: Path, port: int) -> HandMade:
    """Write its files; nothing is started."""
    folder.mkdir(parents=True, exist_ok=True)
    made = HandMade(folder=folder, port=port)
    made.variables.write_text(_VARIABLES)
    made.write_script("--slots", "1")
    return made
