"""Split a body into server-sent events, each with the instant at which it was whole.

Source: WHATWG HTML, server-sent events. Lines end with LF or CR LF here; a lone CR, which no server sends, does not
end one. Comment lines (keep-alive) and all fields but ``data`` carry nothing for a token timeline.
"""

__all__ = ["Events", "data_of", "read_events"]

from collections.abc import Sequence
from dataclasses import dataclass

from sparktune.units import Nanoseconds

_DATA = b"data: "


@dataclass(frozen=True, slots=True, kw_only=True)
class Events:
    """``payloads[i]`` is the data of event ``i``, ``at_ns[i]`` the arrival of the read that completed it.

    ``rest`` is what followed the last blank line: nothing, when the body ended as it should. Its data is no event.
    """

    payloads: list[bytes]
    at_ns: list[Nanoseconds]
    rest: bytes


def read_events(data: bytes, ends: Sequence[int], arrival_ns: Sequence[Nanoseconds]) -> Events:
    """Split ``data``, of which ``ends[i]`` bytes had arrived after the read at ``arrival_ns[i]``."""
    if b"\r" in data:
        data, ends = _without_cr(data, ends)
    parts = data.split(b"\n\n")
    rest = parts.pop()
    payloads: list[bytes] = []
    at_ns: list[Nanoseconds] = []
    position = read = 0
    for part in parts:
        position += len(part) + 2
        # The usual event is one line; everything else takes the long way.
        payload = part[6:] if part.startswith(_DATA) and b"\n" not in part else data_of(part)
        if payload is None:
            continue
        while ends[read] < position:
            read += 1
        payloads.append(payload)
        at_ns.append(arrival_ns[read])
    return Events(payloads=payloads, at_ns=at_ns, rest=rest)


def data_of(event: bytes) -> bytes | None:
    """Return the data lines of an event, joined; None when it has none."""
    lines = [line[5:].removeprefix(b" ") for line in event.split(b"\n") if line.startswith(b"data:")]
    return b"\n".join(lines) if lines else None


def _without_cr(data: bytes, ends: Sequence[int]) -> tuple[bytes, list[int]]:
    """Drop every CR and move the ends along: JSON escapes it, so that in data it is always part of a line end."""
    moved: list[int] = []
    start = kept = 0
    for end in ends:
        kept += end - start - data.count(b"\r", start, end)
        moved.append(kept)
        start = end
    return data.replace(b"\r", b""), moved
