"""Where the store lives: one folder per user, or the one that ``SPARKTUNE_DATA`` names."""

__all__ = ["database_path"]

import os
from pathlib import Path

import platformdirs

_DATABASE_NAME = "runs.sqlite3"


def database_path() -> Path:
    """Return the database's path; nothing is created."""
    named = os.environ.get("SPARKTUNE_DATA")
    folder = Path(named).expanduser() if named else Path(platformdirs.user_data_dir("sparktune", appauthor=False))
    return folder / _DATABASE_NAME
