"""A real sshd on loopback ports, one per node, with its own keys and configuration, and a client's to reach them.

Nothing of the machine's own ssh is used or changed, but for the empty folder ``/run/sshd`` that sshd insists on.
"""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.support.ports import free_port

__all__ = ["Node", "Sshd", "sshd"]

_PRIVSEP = Path("/run/sshd")


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A name in the client's configuration. ``force`` is a shell command that sshd runs instead of the asked one."""

    force: str = ""
    key: str = "key"
    host_key: str = "host"
    listens: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Sshd:
    """A running sshd; ``ssh`` is the command that knows its nodes by name."""

    folder: Path
    ssh: str

    def log(self) -> str:
        """Return what sshd has logged."""
        return (self.folder / "log").read_text()


@contextmanager
def sshd(nodes: Mapping[str, Node], *, address: str = "127.0.0.1", enter: tuple[str, ...] = ()) -> Iterator[Sshd]:
    """Serve the nodes at ports of ``address``; ``enter`` is a command that leads to where the server is to run."""
    program = _found("sshd")
    _PRIVSEP.mkdir(mode=0o755, exist_ok=True)
    with ExitStack() as stack:
        # Not below pytest's folder: the path of a connection's socket must be short.
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="spark-", dir="/tmp")))
        for name in ("host", "other-host", "key", "other-key"):
            _keygen(folder / name)
        ports = {name: free_port() for name in nodes}
        (folder / "authorized_keys").write_text((folder / "key.pub").read_text())
        (folder / "sshd_config").write_text(_server(folder, nodes, ports, address))
        (folder / "ssh_config").write_text(_client(folder, nodes, ports, address))
        (folder / "known_hosts").write_text(
            "".join(
                f"[{address}]:{port} {(folder / nodes[name].host_key).with_suffix('.pub').read_text()}"
                for name, port in ports.items()
            )
        )
        server = subprocess.Popen((*enter, program, "-D", "-f", str(folder / "sshd_config"), "-E", str(folder / "log")))
        stack.callback(_stop, server)
        stack.callback(_close_connections, folder)
        while "Server listening" not in ((folder / "log").read_text() if (folder / "log").exists() else ""):
            assert server.poll() is None, "sshd does not start"
        yield Sshd(folder=folder, ssh=f"ssh -F {folder / 'ssh_config'}")


def _server(folder: Path, nodes: Mapping[str, Node], ports: Mapping[str, int], address: str) -> str:
    listening = {name: port for name, port in ports.items() if nodes[name].listens}
    lines = [
        *(f"ListenAddress {address}:{port}" for port in listening.values()),
        f"HostKey {folder / 'host'}",
        f"AuthorizedKeysFile {folder / 'authorized_keys'}",
        "StrictModes no",
        "UsePAM no",
        "PidFile none",
        "PermitRootLogin prohibit-password",
        "PasswordAuthentication no",
        "KbdInteractiveAuthentication no",
        "MaxStartups 100",
    ]
    for name, port in listening.items():
        if nodes[name].force:
            script = folder / f"{name}.sh"
            script.write_text(f"#!/bin/sh\n{nodes[name].force}\n")
            script.chmod(0o755)
            lines += [f"Match LocalPort {port}", f"    ForceCommand {script}"]
    return "\n".join(lines) + "\n"


def _client(folder: Path, nodes: Mapping[str, Node], ports: Mapping[str, int], address: str) -> str:
    own = "".join(
        f"Host {name}\n    Port {port}\n    IdentityFile {folder / nodes[name].key}\n" for name, port in ports.items()
    )
    return f"""{own}
Host *
    HostName {address}
    User {Path.home().owner()}
    IdentitiesOnly yes
    IdentityAgent none
    UserKnownHostsFile {folder / "known_hosts"}
    GlobalKnownHostsFile /dev/null
    StrictHostKeyChecking yes
"""


def _found(program: str) -> str:
    path = shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin")
    if path is None:
        pytest.skip(f"needs the command {program} (package openssh-server)")
    return path


def _keygen(path: Path) -> None:
    subprocess.run((_found("ssh-keygen"), "-q", "-t", "ed25519", "-N", "", "-f", str(path)), check=True)


def _close_connections(folder: Path) -> None:
    for path in folder.glob("sparktune-*/*"):
        subprocess.run(
            (_found("ssh"), "-o", f"ControlPath={path}", "-O", "exit", "any"), capture_output=True, check=False
        )


def _stop(server: "subprocess.Popen[bytes]") -> None:
    # Each connection has a process of its own, which would wait long for a client behind a pulled cable.
    for child in Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text(encoding="ascii").split():
        with suppress(ProcessLookupError):
            os.kill(int(child), signal.SIGKILL)
    server.send_signal(signal.SIGTERM)
    server.wait()
