"""A newcomer's machine: a bare Debian or Ubuntu tree with a plain user in it, entered by systemd-nspawn.

It has what the README asks for (Python, make), ``sudo`` without a password, and this machine's own way to packages: the
settings of pip, the folders that they name, proxies and certificates. No address of any of these is written down here.
"""

import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from tests.support.debian_tree import base_tree, copy_tree, needed

__all__ = ["Newcomer", "newcomer"]

_PACKAGES = ("ca-certificates", "make", "python3", "sudo")
_DEBIAN = ("bookworm", "trixie")
_USER = "newcomer"
_CLONE = f"home/{_USER}/sparktune"
_CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
_PASSED_ON = re.compile(r"(?i:https?_proxy|no_proxy)|PIP_(?!CONFIG_FILE|TARGET|PREFIX|USER).+|SSL_CERT_FILE")


class Newcomer:
    """``root`` is the machine's file system as seen from outside."""

    def __init__(self, root: Path, suite: str, project: Path) -> None:
        """Give it a user, and a clone of what the project tracks."""
        self.root = root
        self._way = _way_to_packages()
        self._places = _places_in(self._way.values())
        self._enter("useradd --create-home --shell /bin/bash " + _USER, user="root")
        sources = root / "etc/apt/sources.list"
        if suite not in _DEBIAN:  # every Ubuntu that is installed by its own installer has this component, too
            sources.write_text(sources.read_text().replace(" main", " main universe"))
        (root / "etc/sudoers.d/newcomer").write_text(f"{_USER} ALL=(ALL) NOPASSWD: ALL\n")
        clone = root / _CLONE
        clone.mkdir(mode=0o755)
        with tarfile.open(fileobj=io.BytesIO(_archive(project))) as archive:
            archive.extractall(clone, filter="tar")
        self._enter(f"chown -R {_USER}: /{_CLONE}", user="root")

    def run(self, script: str) -> "subprocess.CompletedProcess[str]":
        """Run a shell script as the user, in the clone, with its programs in PATH."""
        return self._enter(f'cd ~/sparktune && export PATH="$PWD/.venv/bin:$PATH"\n{script}', user=_USER)

    def _enter(self, script: str, user: str) -> "subprocess.CompletedProcess[str]":
        command = (
            *needed("systemd-nspawn"),
            "--quiet",
            "--register=no",
            *(() if Path("/run/systemd/system").is_dir() else ("--keep-unit",)),
            "--as-pid2",
            "--resolv-conf=copy-host",
            f"--directory={self.root}",
            f"--user={user}",
            *(f"--bind-ro={place}" for place in self._places),
            *(f"--setenv={name}={value}" for name, value in self._way.items()),
            "--pipe",
            "/bin/bash",
            "-c",
            script,
        )
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


@contextmanager
def newcomer(suite: str, project: Path) -> Iterator[Newcomer]:
    """Make the machine for one test. Skips where the mirror of this machine has no such release."""
    needed("systemd-nspawn", "git")
    tree = base_tree(suite, _PACKAGES)
    with TemporaryDirectory(prefix=f"sparktune-{suite}-", dir=tree.parent) as folder:
        root = Path(folder) / "root"
        copy_tree(tree, root)
        try:
            yield Newcomer(root, suite, project)
        finally:
            shutil.rmtree(root)


def _archive(project: Path) -> bytes:
    """Return what is tracked, as it is in the work tree: what a commit of this moment would give a clone."""
    git = ("git", "-c", f"safe.directory={project}")
    if subprocess.run((*git, "rev-parse"), cwd=project, capture_output=True, check=False).returncode:
        pytest.skip("needs a clone: which files are the project's is known from git alone")
    names = subprocess.run((*git, "ls-files", "-z"), cwd=project, capture_output=True, check=True).stdout
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name in filter(None, names.decode().split("\0")):
            if (project / name).is_file():
                archive.add(project / name, name)
    return stream.getvalue()


def _way_to_packages() -> dict[str, str]:
    """Return the environment by which pip and apt come to packages here: pip's settings files, put into variables."""
    listed = subprocess.run(
        (sys.executable, "-m", "pip", "config", "list"), capture_output=True, text=True, check=True
    ).stdout
    found = {}
    for line in listed.splitlines():
        name, _, value = line.partition("=")
        section, _, key = name.partition(".")
        if section in {"global", "install"}:
            found[f"PIP_{key.upper().replace('-', '_')}"] = value.strip().strip("'\"").replace("\\n", " ")
    return found | {name: value for name, value in os.environ.items() if _PASSED_ON.fullmatch(name)}


def _places_in(values: Iterable[str]) -> tuple[str, ...]:
    """Return the files and folders of this machine that settings name, and its certificates."""
    words = [word.removeprefix("file://") for value in values for word in value.split()]
    paths = {Path(word) for word in words if word.startswith("/")} | {_CERTIFICATES}
    # The whole folder of an index: what it lists may lie beside the list
    return tuple(sorted({str(path.parent if path.name == "simple" else path) for path in paths if path.exists()}))
