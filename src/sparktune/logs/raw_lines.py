"""Bytes in pieces of any size become whole lines, with at most 64 KiB of each; the pieces make no difference."""

__all__ = ["LongLines", "cut"]

from typing import Final

_LONGEST: Final = 64 * 1024
_HEAD, _TAIL = 48 * 1024, 8 * 1024


def cut(line: bytes) -> bytes:
    """Return a line, or the begin of a very long one, with the last state where it is a progress bar."""
    if len(line) <= _LONGEST:
        return line
    _, bar, last = line[-_TAIL:].partition(b"\r")
    return line[:_HEAD] + bar + last


class LongLines:
    """Holds back the line whose end has not come, in bounded memory."""

    def __init__(self) -> None:
        """Begin at the start of a line."""
        self._part = b""

    def feed(self, data: bytes) -> bytes:
        """Return the whole lines that there are now, each with its line end; b"" for none."""
        end = data.rfind(b"\n")
        if end < 0:
            self._hold(data)
            return b""
        block = self._part + data[:end] + b"\n"
        self._part = b""
        self._hold(data[end + 1 :])
        return _shortened(block)

    def rest(self) -> bytes:
        """Return what is left as a line, as no more will come."""
        rest, self._part = self._part, b""
        return _shortened(rest + b"\n") if rest else b""

    def _hold(self, data: bytes) -> None:
        self._part += data
        if len(self._part) > 4 * _LONGEST:
            self._part = self._part[:_HEAD] + self._part[-_LONGEST:]


def _shortened(block: bytes) -> bytes:
    """Cut lines that are too long, if there are any: a block in which line ends come often enough has none."""
    at = 0
    while at < len(block):
        end = block.rfind(b"\n", at, at + _LONGEST + 1)
        if end < 0:
            return b"\n".join(cut(line) for line in block.split(b"\n"))
        at = end + 1
    return block
