"""Folders of logs, and what stands beside the logs in them: attempts that somebody counted, containers."""

__all__ = ["containers_beside", "is_folder", "is_there", "logs_in", "real_name", "trend_beside"]

import csv
import io
import os
from pathlib import Path
from typing import Final

from sparktune.errors import UsageError
from sparktune.host.service.containers import ServiceContainer
from sparktune.host.service.listed import listed_containers
from sparktune.units import Bytes

_ATTEMPTS: Final = "attempts.csv"
_MOST_BYTES: Final[Bytes] = 1_048_576
_SUFFIXES: Final = (".log", ".log.gz")


def is_folder(name: str) -> bool:
    """Whether a folder has this name; a name that is too long, or in a folder that may not be read, is none."""
    try:
        return Path(name).is_dir()
    except OSError:
        return False


def is_there(name: str) -> bool:
    """Whether anything has this name, as far as this user can see."""
    try:
        return Path(name).exists()
    except OSError:
        return False


def real_name(name: str) -> str:
    """Return what is the same for all names of one file; ``-`` is standard input."""
    return name if name == "-" else os.path.realpath(name)


def logs_in(name: str) -> tuple[str, ...]:
    """Return the path itself, or the logs of a folder by name. Raises UsageError for a folder without any."""
    path = Path(name)
    if name == "-" or not is_folder(name):
        return (name,)
    try:
        found = sorted(str(one) for one in path.iterdir() if one.name.endswith(_SUFFIXES) and one.is_file())
    except OSError as error:
        message = f"{name} cannot be read: {error.strerror or error}"
        raise UsageError(message, hint="look whether you may read it") from None
    if not found:
        message = f"{name} is a folder without a log"
        raise UsageError(message, hint="logs in a folder are called *.log; name others themselves")
    return tuple(found)


def trend_beside(folder: Path) -> tuple[str, ...]:
    """Say what attempts beside logs come to; nothing without a table of them (``attempt,free_gib``)."""
    try:
        with (folder / _ATTEMPTS).open("rb") as stream:
            text = stream.read(_MOST_BYTES).decode(errors="replace")
    except OSError:
        return ()
    free = [_number(row.get("free_gib")) for row in csv.DictReader(io.StringIO(text))]
    known = [one for one in free if one is not None]
    if len(known) < 2 or len(known) < len(free):  # noqa: PLR2004 - one value is no trend
        return ()
    if known[-1] >= known[0]:
        return (f"{len(known)} attempts: free memory did not fall ({known[0]:.2f} to {known[-1]:.2f} GiB)",)
    return (
        (
            f"{len(known)} attempts found less and less memory free: {known[0]:.2f} GiB at first, {known[-1]:.2f} GiB "
            "at last. Stop automatic restarts: what failed starts leave behind has to be reclaimed before the next one"
        ),
    )


def containers_beside(folder: Path) -> tuple[ServiceContainer, ...]:
    """Return the containers of every ``docker_ps*.txt`` beside logs: what ``docker ps -a`` printed on each node."""
    found: list[ServiceContainer] = []
    for path in sorted(folder.glob("docker_ps*.txt")):
        try:
            with path.open("rb") as stream:
                found += listed_containers(stream.read(_MOST_BYTES).decode(errors="replace"))
        except OSError:
            continue
    return tuple(found)


def _number(text: str | None) -> float | None:
    try:
        return float(text) if text is not None else None
    except ValueError:
        return None
