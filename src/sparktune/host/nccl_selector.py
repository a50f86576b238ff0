"""NCCL's grammar for choosing devices: ``NCCL_IB_HCA`` and ``NCCL_SOCKET_IFNAME``.

Source: NCCL user guide, "Environment Variables": a list of prefixes with commas; ``^`` first excludes; ``=`` (after the
``^``) wants exact names; ``name:port`` names one port. Both marks count for the whole list, so they come first or not
at all. An empty list matches everything. NCCL keeps at most 32 entries (NVIDIA/nccl, ``MAX_IB_DEVS``) and drops
entries without a name.
"""

__all__ = ["MOST_ENTRIES", "Entry", "Selector", "parse_selector"]

import re
from collections.abc import Iterable
from dataclasses import dataclass

MOST_ENTRIES = 32
_NUMBER = re.compile(r"\s*([+-]?\d{1,9})", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A name, or the beginning of names; ``port`` None for every port."""

    name: str
    port: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Selector:
    """What a value of the variable selects. ``problems`` are things that NCCL reads otherwise than they look."""

    entries: tuple[Entry, ...]
    exclude: bool = False
    exact: bool = False
    problems: tuple[str, ...] = ()

    def selects(self, name: str, port: int | None = None) -> bool:
        """Return whether NCCL takes the device, or its port; ``port`` None leaves ports out of the question."""
        return self._listed(name, port) != self.exclude

    def choose(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return those of the names that NCCL takes, in their order."""
        return tuple(name for name in names if self.selects(name))

    def _listed(self, name: str, port: int | None) -> bool:
        if not self.entries:
            return True
        return any(
            self._matches(entry, name) and (port is None or entry.port is None or entry.port == port)
            for entry in self.entries
        )

    def _matches(self, entry: Entry, name: str) -> bool:
        return name == entry.name if self.exact else name.startswith(entry.name)


def parse_selector(value: str) -> Selector:
    """Read a value of ``NCCL_IB_HCA`` or ``NCCL_SOCKET_IFNAME`` as NCCL does."""
    exclude = value.startswith("^")
    rest = value[exclude:]
    exact = rest.startswith("=")
    words = [word for word in rest[exact:].split(",") if word.split(":", 1)[0]]
    entries = tuple(_entry(word) for word in words[:MOST_ENTRIES])
    return Selector(entries=entries, exclude=exclude, exact=exact, problems=tuple(_problems(words)))


def _entry(word: str) -> Entry:
    name, colon, port = word.partition(":")
    if not colon:
        return Entry(name=name)
    number = _NUMBER.match(port)  # like C's atoi: what is no number is 0; -1 stands for every port
    wanted = int(number[1]) if number else 0
    return Entry(name=name, port=None if wanted == -1 else wanted)


def _problems(words: list[str]) -> Iterable[str]:
    for word in words:
        name, colon, port = word.partition(":")
        if name != name.strip():
            yield f"{word!r} has a space, which NCCL takes as part of the name"
        if name[0] in "^=":
            yield f"{word!r}: {name[0]} counts only at the start of the whole value"
        if colon and not port.isdecimal():
            yield f"{word!r}: the port is no number"
    if len(words) > MOST_ENTRIES:
        yield f"{len(words)} entries, of which NCCL keeps {MOST_ENTRIES}"
