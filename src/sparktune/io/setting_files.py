"""Files of settings that a user names: read whole, with what belongs to them; written back only if nobody else did.

Source: docs.docker.com (a folder is a project of compose: its ``compose.yaml``, an override beside it, ``.env``);
systemd.unit(5) (drop-ins of ``NAME.service`` are in ``NAME.service.d/*.conf``).
"""

__all__ = ["SettingFile", "beside", "read_json_file", "read_setting_files", "write_setting_file"]

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sparktune.errors import UsageError
from sparktune.io.files import write_atomic_bytes
from sparktune.io.named_file import open_named
from sparktune.units import Bytes

_STDIN: Final = "-"
_MOST_BYTES: Final[Bytes] = 4 * 1024 * 1024
_MOST_FILES: Final = 200
_PROJECT: Final = ("compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml")
_OVERRIDE: Final = (
    "compose.override.yaml",
    "compose.override.yml",
    "docker-compose.override.yaml",
    "docker-compose.override.yml",
)
_LONGEST_LINE: Final = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingFile:
    """``name`` is what people call it, ``path`` None for standard input; ``text`` has byte order mark and line ends."""

    name: str
    path: Path | None
    text: str


def read_setting_files(names: Sequence[str]) -> tuple[SettingFile, ...]:
    """Read files, folders of compose projects, and standard input (``-``), each once.

    Raises UsageError for what cannot be read or is no text.
    """
    found: dict[str, SettingFile] = {}
    for name in names:
        if name == _STDIN:
            found.setdefault(name, _from_stdin())
            continue
        for path in _project(Path(name)) if Path(name).is_dir() else (Path(name),):
            found.setdefault(str(path.absolute()), _read(path))
    if len(found) > _MOST_FILES:
        message = f"{len(found)} files are more than {_MOST_FILES}"
        raise UsageError(message, hint="name those of one service")
    return tuple(found.values())


def beside(file: SettingFile, names: Iterable[str], known: Iterable[SettingFile]) -> tuple[SettingFile, ...]:
    """Read files that a file names, or that count without being named, where they are there; and drop-ins of a unit.

    Paths are taken from the file's folder. What cannot be read is left out: nobody named it on the command line.
    """
    if file.path is None:
        return ()
    folder = file.path.parent
    paths = [folder / name for name in names]
    if file.path.suffix == ".service":
        paths += sorted((folder / f"{file.path.name}.d").glob("*.conf"))
    seen = {one.path.absolute() for one in known if one.path is not None}
    found = []
    for path in dict.fromkeys(paths):
        if path.is_file() and path.absolute() not in seen:
            try:
                found.append(_read(path))
            except UsageError:
                continue
    return tuple(found)


def write_setting_file(file: SettingFile, text: str) -> None:
    """Write an edited file whole or not at all; its mode and its owner stay.

    Raises UsageError where it has changed since it was read, or cannot be written.
    """
    if file.path is None:
        message = "what came from standard input cannot be written back"
        raise UsageError(message, hint="name the file, or take the edits from --diff")
    if _read(file.path).text != file.text:
        message = f"{file.name} has changed since it was read"
        raise UsageError(message, hint="look at it, and try again")
    write_atomic_bytes(file.path, text.encode("utf-8"), keep_owner=True)


def read_json_file(path: Path) -> Any:  # noqa: ANN401 - JSON
    """Return what a file of JSON holds. Raises UsageError."""
    file = _read(path)
    try:
        return json.loads(file.text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        message = f"{path}:{error.lineno}: no JSON: {error.msg}"
        raise UsageError(message, hint="docker image inspect NAME > FILE writes such a file") from None
    except (ValueError, RecursionError):
        message = f"{path}: no JSON that can be read"
        raise UsageError(message, hint="docker image inspect NAME > FILE writes such a file") from None


def _project(folder: Path) -> tuple[Path, ...]:
    found = [
        next((folder / name for name in names if (folder / name).is_file()), None) for names in (_PROJECT, _OVERRIDE)
    ]
    files = tuple(path for path in found if path is not None)
    if not files:
        message = f"{folder} is a folder without a compose file"
        raise UsageError(message, hint="name the files in it that are to be looked at")
    return files


def _from_stdin() -> SettingFile:
    data = sys.stdin.buffer.read(_MOST_BYTES + 1)
    return SettingFile(name=_STDIN, path=None, text=_text("standard input", data))


def _read(path: Path) -> SettingFile:
    try:
        if path.exists() and not path.is_file() and not path.is_fifo():
            message = f"{path} is no file"
            raise UsageError(message, hint="name the file that a person wrote")
        with open_named(path) as stream:
            data = stream.read(_MOST_BYTES + 1)
    except OSError as error:
        message = f"{str(path)[:_LONGEST_LINE]} cannot be read: {error.strerror or error}"
        raise UsageError(message, hint="look at the path, and whether you may read it") from None
    return SettingFile(name=str(path), path=path, text=_text(str(path), data))


def _text(name: str, data: bytes) -> str:
    if len(data) > _MOST_BYTES:
        message = f"{name} is larger than {_MOST_BYTES} bytes"
        raise UsageError(message, hint="name the file that a person wrote, not a log or a dump")
    if b"\0" in data[:8192]:
        message = f"{name} is no text: it has zero bytes"
        raise UsageError(message, hint="name the file that a person wrote; text in UTF-16 has to be saved as UTF-8")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"{name}:{line}: no UTF-8 text: byte {error.start} is 0x{data[error.start]:02x}"
        raise UsageError(message, hint="save it as UTF-8") from None
