"""Bytes of a node cut into lines: bounded, and only what follows the agent's greeting. Pure."""

__all__ = ["Incoming"]

from sparktune.agent.protocol import LONGEST_LINE_BYTES, greeting
from sparktune.io.transport.wire import NotTheAgent

_MOST_NOISE_BYTES = 64 * 1024  # what login shells print before; a screenful is usual


class Incoming:
    """Feed pieces as they come, take lines as they are whole."""

    def __init__(self, nonce: str, longest_bytes: int = LONGEST_LINE_BYTES) -> None:
        """Wait for the greeting with this word; lines after it may be ``longest_bytes`` long."""
        self._greeting = f"\n{greeting(nonce)}\n".encode()
        self._longest = longest_bytes
        self._pieces: list[bytes] = [b"\n"]
        self._size = 0
        self.greeted = False

    def feed(self, piece: bytes) -> list[bytes]:
        """Return the lines that this piece completes, without their ends. Raises NotTheAgent when there is too much."""
        if not self.greeted:
            return self._greet(piece)
        head, end, rest = piece.rpartition(b"\n")
        if not end:
            self._keep(rest)
            return []
        lines = b"".join((*self._pieces, head)).split(b"\n")
        self._pieces, self._size = [], 0
        self._keep(rest)
        if any(len(line) > self._longest for line in lines):
            raise self._too_long()
        return lines

    def _keep(self, piece: bytes) -> None:
        self._pieces.append(piece)
        self._size += len(piece)
        if self._size > self._longest:
            raise self._too_long()

    def _too_long(self) -> NotTheAgent:
        return NotTheAgent(f"it sends a line of more than {self._longest} bytes")

    def _greet(self, piece: bytes) -> list[bytes]:
        seen = b"".join((*self._pieces, piece))
        noise, found, rest = seen.partition(self._greeting)
        if len(noise) > _MOST_NOISE_BYTES:
            message = f"it sends {len(noise)} bytes and more of something else"
            raise NotTheAgent(message)
        if not found:
            self._pieces = [seen]
            return []
        self.greeted = True
        self._pieces = []
        return self.feed(rest)
