"""Commands in a network of their own in which nothing but loopback is there."""

import os
import shutil
import subprocess
from functools import cache

import pytest

__all__ = ["offline"]


@cache
def _way() -> tuple[str, ...] | None:
    unshare, ip = shutil.which("unshare"), shutil.which("ip", path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    if unshare is None or ip is None:
        return None
    # Who is not root asks for a user namespace as well, which some systems do not give.
    way = (unshare, "--net", *(() if os.geteuid() == 0 else ("--map-root-user",)))
    script = f'{ip} link set lo up && exec "$@"'
    command = (*way, "/bin/sh", "-c", script, "sh")
    done = subprocess.run((*command, "true"), capture_output=True, check=False)
    return None if done.returncode else command


def offline(*command: str) -> tuple[str, ...]:
    """Return the command line that runs a command without a network; skips where that cannot be had."""
    way = _way()
    if way is None:
        pytest.skip("needs a network namespace: root, or user namespaces for all (programs unshare and ip)")
    return (*way, *command)
