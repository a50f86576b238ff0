"""A real docker daemon for one test, with its own data, its own socket and a network of its own.

In that network namespace it sets up bridges and filters which this machine's own network never sees. It is entered by
nsenter, because ``ip netns exec`` mounts /sys anew, and the control groups below it are gone then.
"""

import io
import os
import signal
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.support.debian_tree import needed
from tests.support.hosts import cabled_hosts

__all__ = ["Docker", "dockerd"]

IMAGE = "llama-server-test"
_STOP_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Docker:
    """``host`` is for DOCKER_HOST."""

    host: str

    @property
    def environment(self) -> dict[str, str]:
        """This process's variables, with the daemon's address among them."""
        return {**os.environ, "DOCKER_HOST": self.host}

    def run(self, *words: str, stdin: bytes = b"") -> str:
        """Run a docker command; it must succeed."""
        done = subprocess.run(
            (*needed("docker"), *words),
            input=stdin,
            capture_output=True,
            check=False,
            env=self.environment,
        )
        assert done.returncode == 0, f"docker {' '.join(words)}: {done.stderr.decode()}"
        return done.stdout.decode().strip()

    def start(self, *options: str) -> str:
        """Start a container whose only program is called llama-server, and sleeps; return its id."""
        words = ("--detach", "--network", "none", *options, IMAGE, "/usr/bin/llama-server", "infinity")
        return self.run("run", *words)


@contextmanager
def dockerd(*, reachable: bool = False) -> Iterator[Docker]:
    """Run the daemon, with an image; stop it and everything that it started afterwards.

    ``reachable``: it runs in this machine's own network, of which it changes nothing, so that a server in a container
    with ``network_mode: host`` can be reached; it has no networks of its own then.
    """
    program, nsenter, _docker = needed("dockerd", "nsenter", "docker")
    with ExitStack() as stack:
        # Not below pytest's folder: paths of sockets must be short.
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="spark-docker-", dir="/tmp")))
        stack.callback(
            _unmount, folder / "exec/netns/default"
        )  # the daemon leaves it where it has the machine's network
        inside = _inside(stack, nsenter, reachable=reachable)
        log = stack.enter_context((folder / "log").open("wb"))
        server = subprocess.Popen(
            (
                *inside,
                program,
                *(("--iptables=false", "--ip6tables=false", "--bridge=none") if reachable else ()),
                f"--data-root={folder}/data",
                f"--exec-root={folder}/exec",
                f"--host=unix://{folder}/socket",
                f"--pidfile={folder}/pid",
                "--containerd-namespace=sparktune-test",
                "--containerd-plugins-namespace=sparktune-test-plugins",
            ),
            stdout=log,
            stderr=log,
        )
        stack.callback(_stop, server)
        docker = Docker(host=f"unix://{folder}/socket")
        while "API listen on" not in (said := (folder / "log").read_text(errors="replace")):
            if server.poll() is not None:
                pytest.skip(f"dockerd does not start here: {said.strip().splitlines()[-1]}")
        docker.run("import", "-", IMAGE, stdin=_image())
        stack.callback(_remove_all, docker)
        yield docker


def _inside(stack: ExitStack, nsenter: str, *, reachable: bool) -> tuple[str, ...]:
    if reachable:
        return ()
    return (nsenter, f"--net=/run/netns/{stack.enter_context(cabled_hosts('-docker')).far}")


def _image() -> bytes:
    """Return a root with one program and the libraries that it is linked with."""
    (sleep, ldd) = needed("sleep", "ldd")
    linked = subprocess.run((ldd, sleep), capture_output=True, text=True, check=True).stdout
    libraries = [word for word in linked.split() if word.startswith("/")]
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for path, name in ((sleep, "usr/bin/llama-server"), *((library, library.lstrip("/")) for library in libraries)):
            archive.add(Path(path).resolve(), name)
    return buffer.getvalue()


def _remove_all(docker: Docker) -> None:
    ids = docker.run("ps", "--all", "--quiet").split()
    if ids:
        docker.run("rm", "--force", *ids)


def _unmount(path: Path) -> None:
    if path.exists():
        subprocess.run((*needed("umount"), str(path)), check=False, capture_output=True)


def _stop(server: "subprocess.Popen[bytes]") -> None:
    server.send_signal(signal.SIGTERM)
    try:
        server.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
