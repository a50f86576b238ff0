"""A PostgreSQL of its own in a folder of its own: reached by a socket there, and gone afterwards."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

_USER = "nobody"
_LIMIT_S = 60


@contextmanager
def postgres() -> Iterator[str]:
    """Yield the address of an empty database; skips where no PostgreSQL is installed."""
    programs = _programs()
    if programs is None:
        pytest.skip("no PostgreSQL is installed (package postgresql)")
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    try:
        if os.geteuid() == 0:  # it refuses to run as root
            shutil.chown(folder, _USER)
        data = folder / "data"
        _run([programs / "initdb", "-D", data, "-A", "trust", "-U", "tester", "--no-sync"])
        options = f"-c listen_addresses='' -c fsync=off -k {folder}"
        _run([programs / "pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", options, "start"])
        try:
            yield f"postgresql://tester@/postgres?host={folder}"
        finally:
            _run([programs / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop"])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _programs() -> Path | None:
    found = shutil.which("initdb")
    known = [Path(found).parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((one for one in known if (one / "initdb").exists() and (one / "pg_ctl").exists()), None)


def _run(words: Sequence[object]) -> None:
    user = _USER if os.geteuid() == 0 else None
    home = pwd.getpwnam(_USER).pw_dir if user else os.environ.get("HOME", "/")
    subprocess.run(
        [str(word) for word in words],
        check=True,
        user=user,
        cwd="/",
        env={"PATH": "/usr/bin:/bin", "HOME": home, "LC_ALL": "C"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=_LIMIT_S,
    )
