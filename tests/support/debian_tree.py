"""A small Debian or Ubuntu root tree, made by debootstrap once and kept outside the project.

``SPARKTUNE_TEST_ROOTS`` names the folder for it, else the user's cache folder has it. Release and mirror are those of
the machine itself, from os-release(5) and apt's own list of sources (``apt-get indextargets``).
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from platformdirs import user_cache_path

__all__ = ["base_tree", "copy_tree", "needed"]

_PACKAGES = (
    "systemd",
    "systemd-sysv",
    "dbus",
    "iproute2",
    "openssh-server",
    "procps",
    "python3",
    "sudo",
    "udev",
)
_ORIGINS = ("Debian", "Ubuntu")


def needed(*programs: str) -> tuple[str, ...]:
    """Return the paths of programs; skip the test when one is missing."""
    search = f"{os.environ['PATH']}:/usr/sbin:/sbin"
    found = {program: shutil.which(program, path=search) for program in programs}
    missing = [program for program, path in found.items() if path is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)} (packages: see .ci/run)")
    return tuple(path for path in found.values() if path is not None)


def base_tree(suite: str | None = None, packages: tuple[str, ...] = _PACKAGES) -> Path:
    """Return a tree of a release, made when it is not there, which takes a minute. Nobody writes to it afterwards.

    The test is skipped where the mirror of this machine has no such release.
    """
    (debootstrap,) = needed("debootstrap")
    own, mirror = _suite(), _mirror()
    suite, packages_named = suite or own, ",".join(packages)
    if suite != own and not _has_release(mirror, suite):
        pytest.skip(f"the package mirror of this machine has no {suite}, or cannot be reached")
    named = os.environ.get("SPARKTUNE_TEST_ROOTS")
    folder = Path(named) if named else user_cache_path("sparktune-tests")
    tree = folder / f"{suite}-{hashlib.sha256(packages_named.encode()).hexdigest()[:12]}"
    with _only_one(folder):
        if not tree.exists():
            work = Path(tempfile.mkdtemp(prefix="making-", dir=folder))
            try:
                _debootstrap(debootstrap, packages_named, suite, work / "tree", mirror)
                (work / "tree").rename(tree)
            finally:
                shutil.rmtree(work)
    return tree


def _has_release(mirror: str, suite: str) -> bool:
    """Ask the mirror for a release by the proxy and certificates that the environment names."""
    try:
        with urllib.request.urlopen(f"{mirror.rstrip('/')}/dists/{suite}/Release", timeout=20) as answer:
            return f"Codename: {suite}" in answer.read(4096).decode(errors="replace")
    except OSError:
        return False


def copy_tree(tree: Path, to: Path) -> None:
    """Copy a tree with owners, modes and times."""
    subprocess.run((*needed("cp"), "-a", "--reflink=auto", str(tree), str(to)), check=True)


@contextmanager
def _only_one(folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _debootstrap(program: str, packages: str, suite: str, tree: Path, mirror: str) -> None:
    done = subprocess.run(
        (program, "--variant=minbase", f"--include={packages}", suite, str(tree), mirror),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.fail(f"debootstrap {suite} {mirror}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    # It holds nothing but what a node needs; what was downloaded for it is not part of that.
    for package in (tree / "var/cache/apt/archives").glob("*.deb"):
        package.unlink()


def _suite() -> str:
    for line in Path("/etc/os-release").read_text(encoding="utf-8").splitlines():
        name, _, value = line.partition("=")
        if name == "VERSION_CODENAME":
            return value.strip('"')
    pytest.skip("needs a Debian or Ubuntu: /etc/os-release names no release")


def _mirror() -> str:
    (apt_get,) = needed("apt-get")
    fields = "$(ORIGIN)|$(CODENAME)|$(COMPONENT)|$(REPO_URI)"
    command = (apt_get, "indextargets", "--format", fields, "Created-By: Packages")
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    suite = _suite()
    for line in listed.splitlines():
        origin, codename, component, address = line.split("|")
        if origin in _ORIGINS and codename == suite and component == "main" and "security" not in address:
            return address
    pytest.skip(f"apt has no source for {suite}")
