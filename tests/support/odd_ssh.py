"""A stand-in for ssh that leads to a captured tree, and whose link or agent breaks where a test wants it.

``SPARKTUNE_SSH`` runs this file: ``odd_ssh.py FOLDER [ssh's own arguments] -- HOST COMMAND``. FOLDER/HOST.json says
what to do: ``root`` is the tree; ``dies_at`` the journal record after which the agent is killed; ``link_dies_at`` the
one after which only the connection is; after ``refuses`` connections no more are made; with ``refuses_new`` none is
made that does not share. Each breaks once. With ``waits_for`` the agent stops after its first PREPARE until that file
is there. ``root`` "" is this machine. There ``dies_after_moves`` kills the agent when it has given so many threads
their CPUs, and ``waits_after_moves`` makes it wait then, and not after its PREPARE, for the file of ``waits_for``.
"""

import json
import os
import shlex
import signal
import sys
import time
from pathlib import Path
from typing import Any

__all__ = ["odd_ssh"]


def odd_ssh(folder: Path, host: str, **orders: object) -> None:
    """Write what is to happen to a host of that name."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{host}.json").write_text(json.dumps(orders))


def _main() -> None:
    folder, *words = sys.argv[1:]
    host, remote = words[words.index("--") + 1 :]
    state = Path(folder) / host
    orders = json.loads(state.with_suffix(".json").read_text())
    count = state.with_suffix(".count")
    with count.open("a") as file:
        file.write("x")
    made = len(count.read_text())
    alone = "ControlPath=none" in words
    if made > orders.get("refuses", made) or (alone and orders.get("refuses_new")):
        sys.stderr.write(f"ssh: connect to host {host} port 22: No route to host\n")
        sys.exit(255)
    *_rest, length, nonce = shlex.split(remote)
    if "link_dies_at" in orders and (child := os.fork()):
        _pid, status = os.waitpid(child, 0)
        sys.exit(os.waitstatus_to_exitcode(status) or 0)
    _serve(int(length), nonce, orders, state.with_suffix(".broken"))


def _serve(length: int, nonce: str, orders: dict[str, Any], broken: Path) -> None:
    """Do as the bootstrap of the agent does, with a journal that breaks what it was told to break."""
    archive = b""
    while len(archive) < length:
        archive += os.read(0, length - len(archive))
    handle = os.memfd_create("odd")
    os.write(handle, archive)
    sys.path[:] = [f"/proc/self/fd/{handle}", *(path for path in sys.path if "site-packages" not in path)]
    from sparktune.agent import journal  # noqa: PLC0415 - this must be the one of the archive
    from sparktune.agent.main import main  # noqa: PLC0415

    write = journal.Journal.write
    waits_early = "waits_for" in orders and "waits_after_moves" not in orders
    _break_moves(orders, broken)

    def breaking(self: Any, record: str, **content: Any) -> None:  # noqa: ANN401 - whatever the journal takes
        write(self, record, **content)
        if record == "PREPARE" and waits_early:
            _wait(orders)
        if record in {orders.get("dies_at"), orders.get("link_dies_at")} and not broken.exists():
            broken.touch()
            if "dies_at" in orders:
                os.kill(os.getpid(), signal.SIGKILL)
            null = os.open("/dev/null", os.O_RDWR)
            for descriptor in (0, 1, 2):
                os.dup2(null, descriptor)
            os.kill(os.getppid(), signal.SIGKILL)
            time.sleep(1.0)  # so that the journal is asked while this is at work; no test depends on it

    journal.Journal.write = breaking  # type: ignore[method-assign]
    main(archive, [nonce, orders["root"]])


def _break_moves(orders: dict[str, Any], broken: Path) -> None:
    """Let the kernel's call for a thread's CPUs be where the agent dies or waits, once it was made so often."""
    move, made = os.sched_setaffinity, 0

    def moving(tid: int, cpus: Any) -> None:  # noqa: ANN401 - whatever the call takes
        nonlocal made
        move(tid, cpus)
        made += 1
        if made == orders.get("dies_after_moves") and not broken.exists():
            broken.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if made == orders.get("waits_after_moves"):
            _wait(orders)

    os.sched_setaffinity = moving


def _wait(orders: dict[str, Any]) -> None:
    while not Path(orders["waits_for"]).exists():
        time.sleep(0.05)


if __name__ == "__main__":
    _main()
