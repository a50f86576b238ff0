"""Why a server did not come up, or died: what failed first in the logs that were kept of its start."""

__all__ = ["why_of_logs"]

from pathlib import Path

from sparktune.errors import UsageError
from sparktune.io.log_files import read_log_file
from sparktune.logs.first import first_error
from sparktune.model.log import LogView
from sparktune.units import Seconds

_LONGEST = 240


def why_of_logs(folder: Path, since_wall_s: Seconds) -> str:
    """Return what failed first in the logs of a folder that were written since then, "" where nothing is told."""
    logs = []
    for path in sorted(folder.glob("*.log")) if folder.is_dir() else ():
        try:
            if path.stat().st_mtime >= since_wall_s:
                logs.append(read_log_file(str(path)))
        except (OSError, UsageError):
            continue
    first = first_error(LogView(logs=tuple(logs)))
    if first is None:
        return ""
    line = " ".join((first.event.told or first.event.first.text).split())[:_LONGEST]
    return f"{first.event.signature.title}: {line}" if first.event.signature is not None else line
