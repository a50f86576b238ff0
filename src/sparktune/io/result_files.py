"""Find and read result files: single ones, or a folder with those of one sweep or one session."""

__all__ = ["read_result_files"]

import re
from collections.abc import Sequence
from pathlib import Path

from sparktune.bench.imports import SourceFile, all_readers
from sparktune.errors import UsageError
from sparktune.io.named_file import open_named

_MOST_BYTES = 64 * 1024 * 1024
_MOST_BESIDE_BYTES = 1024 * 1024
_MOST_FILES = 1000
_BESIDE = ("gpu_samples.csv", "throttle.txt")  # what a person who samples the GPU leaves beside the results
_SWEEP = "run=*.json"


def read_result_files(paths: Sequence[Path]) -> tuple[SourceFile, ...]:
    """Return the files with what lies beside them; a folder stands for those of its files that are results.

    Raises UsageError for a path that does not exist, cannot be read, is too large, or a folder without results.
    """
    found: list[SourceFile] = []
    for path in paths:
        found += _of_folder(path) if path.is_dir() else [_read(path, path.as_posix())]
        if len(found) > _MOST_FILES:
            message = f"{path} holds more than {_MOST_FILES} files of results"
            raise UsageError(message, hint="name the files of two arms")
    return tuple(found)


def _of_folder(folder: Path) -> list[SourceFile]:
    sweep = sorted(folder.rglob(_SWEEP), key=_natural)[: _MOST_FILES + 1]
    if sweep:
        return [_read(path, path.relative_to(folder.parent).as_posix()) for path in sweep]
    files = [
        path for path in sorted(folder.iterdir(), key=_natural) if path.is_file() and path.stat().st_size <= _MOST_BYTES
    ]
    read = [_read(path, path.name) for path in files[:_MOST_FILES] if path.name not in _BESIDE]
    results = [file for file in read if file.data.strip() and _is_result(file)]
    if not results:
        message = f"{folder} holds no file of results among {len(files)} files"
        raise UsageError(message, hint="known are: " + "; ".join(reader.title for reader in all_readers()))
    return results


def _natural(path: Path) -> list[tuple[int, str]]:
    """Sort n3 before n11."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d{1,9})", path.as_posix())]


def _is_result(file: SourceFile) -> bool:
    """Tell whether a file of a folder is meant: notes and metrics beside results are no results."""
    if file.name.endswith((".md", ".metrics", ".log", ".html", ".yaml", ".yml", ".sh", ".py")):
        return False
    return any(reader.recognises(file) for reader in all_readers())


def _read(path: Path, name: str) -> SourceFile:
    try:
        size = path.stat().st_size
        with open_named(path) as stream:  # a device has no size, and no end
            data = stream.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            has = f"has {size:,} bytes" if size else "does not end"
            message = f"{path} {has}, at most {_MOST_BYTES:,} are read"
            raise UsageError(message, hint="save results without the details of single requests")
        return SourceFile(name=name, data=data, beside=_beside(path))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        message = f"{path} cannot be read: {reason}"
        raise UsageError(message, hint="give the path of a file or folder with results") from error


def _beside(path: Path) -> dict[str, bytes]:
    stem = path.stem
    names = [*_BESIDE, f"{stem}.metrics", f"{stem.rpartition('-')[2]}.metrics"]
    found = {}
    for name in dict.fromkeys(names):
        other = path.with_name(name)
        if name != path.name and other.is_file() and other.stat().st_size <= _MOST_BESIDE_BYTES:
            found[name] = other.read_bytes()
    return found
