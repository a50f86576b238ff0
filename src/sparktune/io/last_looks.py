"""What a quick look saw last, per ``sparktune.yaml``: when each node answered, and what drift came to.

A memory for the front page, not a record: it may be deleted at any time, and what cannot be read or written of it is
as if there were none.
"""

__all__ = ["LastDrift", "LastLook", "read_last_look", "remember_last_look"]

from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from sparktune.errors import UsageError
from sparktune.io.files import write_atomic
from sparktune.io.store.location import database_path
from sparktune.units import Seconds

_FILE: Final = "last-looks.json"
_PRIVATE: Final = 0o700


class LastDrift(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict of a look at drift; ``differs`` None where something could not be read, and nothing had drifted."""

    words: str
    differs: bool | None
    at_wall_s: Seconds


class LastLook(msgspec.Struct, frozen=True, kw_only=True):
    """``nodes``: when each answered last, in wall seconds; ``drift`` by the name of the service."""

    nodes: dict[str, Seconds] = {}
    drift: dict[str, LastDrift] = {}


def read_last_look(config: Path) -> LastLook:
    """Return what was seen last with a ``sparktune.yaml``; nothing where nobody looked yet."""
    return _all().get(str(config), LastLook())


def remember_last_look(config: Path, look: LastLook) -> None:
    """Add to what was seen; a node or service that this look does not name keeps what was known of it."""
    every = _all()
    before = every.get(str(config), LastLook())
    merged = LastLook(nodes={**before.nodes, **look.nodes}, drift={**before.drift, **look.drift})
    path = database_path().with_name(_FILE)
    with suppress(OSError, UsageError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=_PRIVATE)
        write_atomic(path, msgspec.json.encode({**every, str(config): merged}).decode(), private=True)


def _all() -> dict[str, LastLook]:
    try:
        found = msgspec.json.decode(database_path().with_name(_FILE).read_bytes(), type=dict[str, LastLook])
    except (OSError, msgspec.DecodeError):
        return {}
    return found
