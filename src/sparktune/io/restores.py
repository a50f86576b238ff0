"""What a restore has touched, kept on disk while it works: so that a killed one can be taken back.

One folder per service under the user's data: ``record.json`` while something is held, and the logs of its commands. Who
works on a service has the lock of its folder, which ends with the process.
"""

__all__ = ["RestoreFolder", "RestoreRecord", "left_restores", "restore_folder"]

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import msgspec

from sparktune.errors import StoreError, UsageError
from sparktune.io.files import write_atomic
from sparktune.io.folder_lock import folder_lock
from sparktune.io.store.location import database_path
from sparktune.model.drift import ServicePlace

_NAME_LETTERS: Final = 16
_PRIVATE: Final = 0o700
_SPACE: Final = "make space there, or give a folder that you may write to in SPARKTUNE_DATA"


class RestoreRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A restore that was begun: ``held`` is the hold's own record, the rest is how its arm is planned again."""

    key: str
    service: str
    launcher: str
    where: tuple[dict[str, Any], ...]
    endpoint: str
    value: dict[str, Any]
    anew: bool = False
    held: dict[str, Any] = {}
    schema: int = 1

    def is_of(self, place: ServicePlace) -> bool:
        """Tell whether it is of a named service: also where sparktune.yaml says another address, or other parts, now.

        A name alone is not enough: every folder may call its service the same.
        """
        parts = list(zip(self.where, place.where, strict=False))
        same = len(self.where) == len(place.where) and all(one.items() <= dict(part).items() for one, part in parts)
        return bool(place.name) and self.service == place.name and (self.endpoint == place.endpoint or same)


class RestoreFolder:
    """The folder of one service; nothing is made before it is needed."""

    def __init__(self, folder: Path) -> None:
        """Touch nothing."""
        self._folder = folder

    @property
    def logs(self) -> Path:
        """Where the commands' output goes."""
        return self._folder / "logs"

    def read(self) -> RestoreRecord | None:
        """Return the record of a restore that did not end, None when there is none. Raises UsageError."""
        path = self._folder / "record.json"
        try:
            return msgspec.json.decode(path.read_bytes(), type=RestoreRecord)
        except FileNotFoundError:
            return None
        except (OSError, msgspec.DecodeError) as error:
            message = f"{path} cannot be read: {error}"
            raise UsageError(
                message, hint="another version wrote it? sparktune host status shows what stands"
            ) from None

    def remember(self, record: RestoreRecord | None) -> None:
        """Keep a record durably before returning; None when nothing is held any more. Raises StoreError."""
        path = self._folder / "record.json"
        try:
            if record is None:
                path.unlink(missing_ok=True)
            else:
                write_atomic(path, msgspec.json.encode(record).decode(), private=True)
            self._flush()
        except UsageError as error:
            message = f"what a restore touches cannot be kept: {error}"
            raise StoreError(message, hint=_SPACE) from error
        except OSError as error:
            message = f"the record of a restore that has ended cannot be removed: {path}: {error.strerror or error}"
            hint = "remove it by hand: the next restore would take it for a killed one"
            raise StoreError(message, hint=hint) from error

    def is_owned(self) -> bool:
        """Tell whether a process is at it now."""
        try:
            with folder_lock(self._folder, patience=0.0):
                return False
        except UsageError:
            return self._folder.is_dir()

    @contextmanager
    def owned(self) -> Iterator[None]:
        """Keep others out for the block. Raises UsageError when another process is at it."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=_PRIVATE)
        with folder_lock(self._folder, patience=0.0):
            yield

    def _flush(self) -> None:
        """Force the folder's own entries to the disk: a rename may otherwise be lost with the power."""
        place = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(place)
        finally:
            os.close(place)


def restore_folder(service: str, endpoint: str, where: tuple[Mapping[str, Any], ...]) -> RestoreFolder:
    """Return the folder of a service, known by its name, address and parts."""
    told = msgspec.json.encode([service, endpoint, [dict(part) for part in where]], order="deterministic")
    name = hashlib.sha256(told).hexdigest()[:_NAME_LETTERS]
    return RestoreFolder(_restores() / name)


def left_restores() -> Iterator[tuple[RestoreFolder, RestoreRecord]]:
    """Yield every restore that did not end, of whatever service; a record that cannot be read is left out."""
    for path in sorted(_restores().glob("*/record.json")):
        folder = RestoreFolder(path.parent)
        with suppress(UsageError):
            record = folder.read()
            if record is not None:
                yield folder, record


def _restores() -> Path:
    return database_path().parent / "restores"
