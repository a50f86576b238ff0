"""The engine that is ended to save its host: found once, by a process id, a container or the port that it listens on.

It is ended by its own id, never by a name: a container through Docker (which does not start it again by itself after
that, as it would when its process were killed), a process through file descriptors of it and of all below it.
Sources: docker kill and restart policies (docs.docker.com/engine/containers/start-containers-automatically);
pidfd_open(2); cgroups(7) for /proc/PID/cgroup.
"""

__all__ = ["Engine", "find_engine"]

import asyncio
import os
import re
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sparktune.errors import UsageError
from sparktune.io.http.address import parse_address
from sparktune.io.launching.ending import signal_all
from sparktune.io.launching.proc import Kin, all_kin, all_seen, is_below, kin_of, listening_pids, look_at, still_lives
from sparktune.io.time_limit import time_limit
from sparktune.units import Seconds

_CONTAINER: Final = re.compile(r"[/-]([0-9a-f]{64})(?:\.scope)?(?:/|$)", re.MULTILINE)
_UNIT: Final = re.compile(r"/([^/]+\.service)(?:/|$)", re.MULTILINE)
_HERE: Final = frozenset({"localhost", "127.0.0.1", "::1", "0.0.0.0"})  # noqa: S104 - to compare, not to listen
_PROXY: Final = "docker-proxy"
_INIT: Final = 1
_DOCKER_S: Final[Seconds] = 10.0
_LOOK_S: Final[Seconds] = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """``container`` is the whole id, "" for a plain process; the process is known by its number and start time.

    ``restarted_by`` is the systemd unit that it belongs to, "" for none: such a unit may start it again.
    """

    said: str
    pid: int
    start_ticks: int
    container: str = ""
    restarted_by: str = ""

    @property
    def label(self) -> str:
        """What it is, for a person."""
        return (
            f"container {self.container[:12]} ({self.said})" if self.container else f"process {self.pid} ({self.said})"
        )

    @property
    def lives(self) -> bool:
        """Whether its first process still runs."""
        kin = kin_of(self.pid)
        return kin is not None and not kin.dead and kin.start_ticks == self.start_ticks

    def owns(self, pid: int) -> bool:
        """Tell whether a process belongs to it."""
        if self.container:
            return self.container in _text(Path(f"/proc/{pid}/cgroup"))
        return is_below(pid, self.pid)

    def exit_state(self) -> tuple[int | None, bool | None]:
        """Return exit code and OOMKilled of a container that has ended, None for what is not told."""
        told, _ = _docker(
            "inspect", "--type", "container", "--format", "{{.State.ExitCode}} {{.State.OOMKilled}}", self.container
        )
        words = told.split()
        return (int(words[0]), words[1] == "true") if len(words) == 2 else (None, None)  # noqa: PLR2004 - both

    async def stop(self, grace_s: Seconds) -> str:
        """End it; return what came of that, for a person."""
        if self.container:
            _, why = await asyncio.to_thread(_docker, "kill", self.container)
            return f"{self.label} was killed" if not why else f"{self.label}: docker kill failed: {why}"
        tree = _tree(self)
        signal_all(tree, signal.SIGTERM)
        left = await _gone(tree, grace_s)
        if left:
            signal_all(left, signal.SIGKILL)
            left = await _gone(left, _DOCKER_S)
        if left:
            return f"{self.label} does not end: {', '.join(str(one.pid) for one in left)} hang in the kernel"
        again = f"; {self.restarted_by} may start it again: sudo systemctl stop {self.restarted_by}"
        return f"{self.label} was ended, {len(tree)} processes" + (again if self.restarted_by else "")


def find_engine(text: str) -> Engine:
    """Find what ``text`` names: a process id, the address of an endpoint on this machine, or a container.

    Raises UsageError when there is none, or more than one, and when ending it would end this program, too.
    """
    if not text.strip():
        message = "no engine is named"
        raise UsageError(message, hint="name a process id, a container, or the address of the endpoint")
    engine = _named(text)
    if engine.pid == _INIT or engine.owns(os.getpid()):
        message = f"{engine.label} is not an engine: this program itself runs in it, and would end with it"
        raise UsageError(
            message, hint="name the process id of the engine's own first process, its container or its URL"
        )
    return engine


def _named(text: str) -> Engine:
    if text.isdecimal():
        return _of_pid(int(text), text)
    if "://" in text:
        return _of_address(text)
    return _of_container(text, text)


def _of_pid(pid: int, said: str) -> Engine:
    seen = look_at(pid)
    if seen is None or seen.dead:
        message = f"there is no process {pid}"
        raise UsageError(message, hint="name a process id, a container, or the address of the endpoint")
    groups = _text(Path(f"/proc/{pid}/cgroup"))
    unit = _UNIT.search(groups)
    container = _CONTAINER.search(groups)
    if container is not None:
        return _of_container(container[1], said)
    name = said if not said.isdecimal() else seen.name
    return Engine(said=name, pid=pid, start_ticks=seen.start_ticks, restarted_by=unit[1] if unit else "")


def _of_address(text: str) -> Engine:
    target = parse_address(text).target
    if target.host not in _HERE:
        message = f"{text} is not on this machine"
        raise UsageError(message, hint="an engine of another node is ended by the arm of an experiment: sparktune ab")
    everyone = all_seen()
    pids = listening_pids(target.port, everyone)
    names = {one.pid: one.name for one in everyone}
    if not pids or any(names[pid] == _PROXY for pid in pids):
        listed, _ = _docker("ps", "--no-trunc", "--filter", f"publish={target.port}", "--format", "{{.ID}}")
        if len(listed.split()) == 1:
            return _of_container(listed.strip(), text)
    own = [pid for pid in pids if not any(is_below(pid, other) for other in pids if other != pid)]
    if len(own) != 1:
        found = ", ".join(str(pid) for pid in own) or "no process that this user may see"
        message = f"who listens on port {target.port} is not clear: {found}"
        raise UsageError(message, hint="name the process id or the container; as root all processes can be seen")
    return _of_pid(own[0], text)


def _of_container(name: str, said: str) -> Engine:
    told, why = _docker("inspect", "--type", "container", "--format", "{{.Id}} {{.State.Pid}}", "--", name)
    words = told.split()
    if why:
        message = f"{name!r} is no process id and no container that runs: {why}"
        raise UsageError(message, hint="see those that run: docker ps")
    if len(words) != 2 or words[1] == "0":  # noqa: PLR2004 - id and process id
        message = f"the container {name} does not run"
        raise UsageError(message, hint="see those that run: docker ps")
    kin = kin_of(int(words[1]))
    shown = said if said != words[0] else name[:12]
    return Engine(said=shown, pid=int(words[1]), start_ticks=kin.start_ticks if kin else 0, container=words[0])


def _tree(engine: Engine) -> tuple[Kin, ...]:
    """Return the process and all below it, if it is still the one that was found."""
    kin = kin_of(engine.pid)
    if kin is None or kin.start_ticks != engine.start_ticks:
        return ()
    found, everyone = {engine.pid: kin}, all_kin()
    while more := [one for one in everyone if one.parent in found and one.pid not in found]:
        found.update({one.pid: one for one in more})
    return tuple(found.values())


async def _gone(tree: tuple[Kin, ...], limit_s: Seconds) -> tuple[Kin, ...]:
    async def wait() -> None:
        while any(still_lives(one) for one in tree):  # noqa: ASYNC110 - nobody tells of their end
            await asyncio.sleep(_LOOK_S)

    try:
        async with time_limit(limit_s):
            await wait()
    except TimeoutError:
        return tuple(one for one in tree if still_lives(one))
    return ()


def _docker(*words: str) -> tuple[str, str]:
    """Run a command of Docker; return what it printed, and why it failed, "" when it did not."""
    try:
        done = subprocess.run(("docker", *words), capture_output=True, text=True, timeout=_DOCKER_S, check=False)  # noqa: S603, S607
    except FileNotFoundError:
        return "", "docker is not installed"
    except (OSError, subprocess.TimeoutExpired) as error:
        return "", str(error)
    if done.returncode == 0:
        return done.stdout, ""
    return "", " ".join(done.stderr.split()) or f"exit code {done.returncode}"


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
