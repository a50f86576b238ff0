"""The user's own ssh: their config, keys, agents and jump hosts; one connection per node is kept for a minute."""

__all__ = ["ssh_command"]

import os
import shlex
import stat
from pathlib import Path

from sparktune.errors import UsageError

_CONNECT_S = 10
_LONGEST_SOCKET = 107  # sun_path, without its end
_LONGEST_NAME = 1 + 40 + 17  # "/", the hash that %C stands for, what ssh appends while it binds


def ssh_command(host: str, remote: tuple[str, ...], *, shared: bool = True) -> tuple[str, ...]:
    """Return the command line that runs ``remote`` on a host without asking anything.

    Without ``shared`` the connection is a new one: one that is open already says nothing of whether another can be had.
    ``SPARKTUNE_SSH`` may name another ssh, with options (``ssh -F FILE``). Raises UsageError for a host that ssh would
    take for an option, and for a ``SPARKTUNE_SSH`` with an open quote.
    """
    if not host or host.startswith("-") or any(letter.isspace() or not letter.isprintable() for letter in host):
        message = f"{host!r} is no name of a node"
        raise UsageError(message, hint="write --nodes spark1,spark2")
    options = (
        "BatchMode=yes",
        f"ConnectTimeout={_CONNECT_S}",
        # A dead peer is noticed, whatever the user's own settings are.
        "ServerAliveInterval=5",
        "ServerAliveCountMax=3",
        # What a user's config may add to a session for people is in the way here.
        "ClearAllForwardings=yes",
        "RemoteCommand=none",
        "PermitLocalCommand=no",
        *_sharing(_socket_folder() if shared else None),
    )
    flags = tuple(word for option in options for word in ("-o", option))
    # The one place where a command becomes text: ssh hands it to the user's shell over there.
    return (
        *_program(),
        "-T",
        "-a",
        "-x",
        *flags,
        "--",
        host,
        shlex.join(remote),
    )


def _program() -> tuple[str, ...]:
    named = os.environ.get("SPARKTUNE_SSH", "")
    try:
        return tuple(shlex.split(named)) or ("ssh",)
    except ValueError as error:
        message = f"SPARKTUNE_SSH is {named!r}: {error}"
        raise UsageError(message, hint="write it as in a shell: SPARKTUNE_SSH='ssh -F FILE'") from None


def _sharing(folder: Path | None) -> tuple[str, ...]:
    if folder is None:
        return ("ControlMaster=no", "ControlPath=none")
    return ("ControlMaster=auto", f"ControlPath={folder}/%C", "ControlPersist=60")


def _socket_folder() -> Path | None:
    """Return a folder that is only this user's, with a path short enough for sockets; None when there is none."""
    for folder in (os.environ.get("XDG_RUNTIME_DIR"), "/tmp"):  # noqa: S108 - the folder in it is checked below
        if not folder:
            continue
        path = Path(folder) / f"sparktune-{os.getuid()}"
        if len(str(path)) + _LONGEST_NAME <= _LONGEST_SOCKET and _is_private(path):
            return path
    return None


def _is_private(path: Path) -> bool:
    try:
        path.mkdir(mode=0o700, exist_ok=True)
        status = path.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o077
