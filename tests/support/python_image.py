"""A container's root with a Python, a shell and ``arm_server.py``: what a server with settings needs, and no more."""

__all__ = ["ENTRY", "SERVER_INSIDE", "python_image"]

import io
import subprocess
import tarfile
from pathlib import Path

from tests.support.arms import SERVER
from tests.support.debian_tree import needed

SERVER_INSIDE = "/srv/arm_server.py"
ENTRY = "/srv/entry.sh"
"""An entrypoint that sets LIMIT itself, whatever it was given, and then becomes its arguments."""

_PYTHON = "/usr/bin/python3"
_LEFT_OUT = (
    "__pycache__",
    "test",
    "tests",
    "idlelib",
    "ensurepip",
    "tkinter",
    "lib2to3",
    "dist-packages",
    "site-packages",
)
_ASK = "import sysconfig; print(sysconfig.get_path('stdlib'))"


def python_image(programs: tuple[str, ...] = ("sh", "sleep")) -> bytes:
    """Return the root as a tar file; ``programs`` of this machine are in it, too."""
    asked = subprocess.run((*needed(_PYTHON), "-c", _ASK), capture_output=True, text=True, check=True).stdout
    library = asked.strip()
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for program in (_PYTHON, *needed(*programs)):
            _add_program(archive, program)
        archive.add(library, library.lstrip("/"), filter=_kept)
        archive.add(SERVER, SERVER_INSIDE.lstrip("/"))
        temporary = tarfile.TarInfo("tmp")
        temporary.type, temporary.mode = tarfile.DIRTYPE, 0o1777
        archive.addfile(temporary)
        _add_text(archive, ENTRY, '#!/bin/sh\nexport LIMIT=9\nexec "$@"\n')
    return buffer.getvalue()


def _add_program(archive: tarfile.TarFile, program: str) -> None:
    name = Path(program).name
    for path in (f"usr/bin/{name}", f"bin/{name}"):
        archive.add(Path(program).resolve(), path)
    (ldd,) = needed("ldd")
    linked = subprocess.run((ldd, program), capture_output=True, text=True, check=True).stdout
    there = set(archive.getnames())
    for path in {word.lstrip("/") for word in linked.split() if word.startswith("/")} - there:
        archive.add(Path(f"/{path}").resolve(), path)


def _add_text(archive: tarfile.TarFile, path: str, text: str) -> None:
    entry = tarfile.TarInfo(path.lstrip("/"))
    data = text.encode()
    entry.size, entry.mode = len(data), 0o755
    archive.addfile(entry, io.BytesIO(data))


def _kept(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    left_out = any(part in _LEFT_OUT or part.startswith("config-3") for part in entry.name.split("/"))
    return None if left_out else entry
