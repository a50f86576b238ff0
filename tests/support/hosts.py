"""Two hosts on this machine: network namespaces with a cable between them that can be pulled.

The machine's own network is not touched: both ends of the cable are in namespaces made for the test and removed after
it. Put the fixture ``hosts`` into a ``conftest.py`` by importing it there.
"""

import itertools
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

__all__ = ["FAR_ADDRESS", "NEAR_ADDRESS", "Hosts", "cabled_hosts", "hosts"]

NEAR_ADDRESS = "10.231.77.1"
FAR_ADDRESS = "10.231.77.2"
_COUNT = itertools.count(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hosts:
    """Names of two namespaces; ``near`` has a device ``cable`` to ``far``."""

    near: str
    far: str

    def on(self, host: str, *command: str) -> tuple[str, ...]:
        """Return the command line that runs a command on a host."""
        return ("ip", "netns", "exec", host, *command)

    def named(self, host: str, name: str) -> tuple[str, ...]:
        """Return what leads to a host with a name of its own: two of one name and one kernel are taken for one."""
        return self.on(host, "unshare", "--uts", "sh", "-c", f'hostname {name} && exec "$@"', "sh")

    def run(self, host: str, *command: str) -> str:
        """Run a command on a host and return its stdout."""
        return _run(*self.on(host, *command))

    def received_bytes(self) -> int:
        """Return how many bytes the near host has received over the cable."""
        return int(self.run(self.near, "cat", "/sys/class/net/cable/statistics/rx_bytes"))

    def pull_cable(self) -> None:
        """Take the far end down: the near host sends and hears nothing back, and nobody tells it why."""
        self.run(self.far, "ip", "link", "set", "cable", "down")


def _run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.fail(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


@pytest.fixture
def hosts() -> Iterator[Hosts]:
    """Make the two hosts, remove them afterwards."""
    with cabled_hosts() as hosts:
        yield hosts


@contextmanager
def cabled_hosts(suffix: str = "") -> Iterator[Hosts]:
    """Make two hosts whose names end in ``suffix``, remove them afterwards."""
    if shutil.which("ip") is None:
        pytest.skip("needs the command ip (package iproute2)")
    own = f"{os.getpid()}-{next(_COUNT)}{suffix}"  # a booted node may have two of its own for all tests
    hosts = Hosts(near=f"sparktune-near-{own}", far=f"sparktune-far-{own}")
    made: list[str] = []
    try:
        for name in (hosts.near, hosts.far):
            _run("ip", "netns", "add", name)
            made.append(name)
        _run(
            "ip",
            "link",
            "add",
            "cable",
            "netns",
            hosts.near,
            "type",
            "veth",
            "peer",
            "name",
            "cable",
            "netns",
            hosts.far,
        )
        for name, address in ((hosts.near, NEAR_ADDRESS), (hosts.far, FAR_ADDRESS)):
            hosts.run(name, "ip", "address", "add", f"{address}/30", "dev", "cable")
            hosts.run(name, "ip", "link", "set", "cable", "up")
            hosts.run(name, "ip", "link", "set", "lo", "up")
        yield hosts
    finally:
        for name in made:
            _run("ip", "netns", "del", name)
