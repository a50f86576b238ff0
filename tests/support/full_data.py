"""Restore with a disk that is full after so many writes of its record: ``full_data.py WRITES drift restore ...``."""

import sys
from pathlib import Path

from sparktune.cli.app import main
from sparktune.errors import UsageError
from sparktune.io import restores
from sparktune.io.files import write_atomic

__all__: list[str] = []


class _Disk:
    """Takes so many records and no more."""

    def __init__(self, writes: int) -> None:
        self._left = writes

    def write(self, path: Path, text: str, *, private: bool = False) -> None:
        """Write, or say what ``write_atomic`` says of a full disk."""
        self._left -= 1
        if self._left < 0:
            message = f"{path} cannot be written: No space left on device"
            raise UsageError(message, hint="make room")
        write_atomic(path, text, private=private)


if __name__ == "__main__":
    restores.write_atomic = _Disk(int(sys.argv.pop(1))).write  # type: ignore[assignment]
    main()
