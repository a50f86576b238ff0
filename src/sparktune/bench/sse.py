"""Split a body into server-sent events, each with the instant at which it was whole.

Source: WHATWG HTML, server-sent events. Lines end with LF or CR LF here; a lone CR, which no server sends, does not
end one. Comment lines (keep-alive) and all fields but ``data`` carry nothing for a token timeline.
"""

__all__ = ["Events", "data_of", "read_events"]

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from sparktune.units import Nanoseconds

_DATA = b"data: "
_BLANK = b"\n\n"
_AROUND = len(_DATA) + len(_BLANK)


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
    payloads = _plain_payloads(data)
    if payloads is not None:
        sizes = [len(payload) + _AROUND for payload in payloads]
        return Events(payloads=payloads, at_ns=_arrivals(accumulate(sizes), ends, arrival_ns), rest=b"")
    if b"\r" in data:
        data, ends = _without_cr(data, ends)
    parts = data.split(_BLANK)
    rest = parts.pop()
    found = [data_of(part) for part in parts]
    positions = accumulate(len(part) + len(_BLANK) for part in parts)
    kept = [position for position, payload in zip(positions, found, strict=True) if payload is not None]
    return Events(
        payloads=[payload for payload in found if payload is not None],
        at_ns=_arrivals(kept, ends, arrival_ns),
        rest=rest,
    )


def _plain_payloads(data: bytes) -> list[bytes] | None:
    """Split a stream of nothing but one-line events, the usual one, in a third of the time; None for any other."""
    if not (data.startswith(_DATA) and data.endswith(_BLANK)):
        return None
    payloads = data[len(_DATA) : -len(_BLANK)].split(_BLANK + _DATA)
    # With two line feeds per event there is none left for a comment, another field or a second line.
    return payloads if data.count(b"\n") == len(_BLANK) * len(payloads) and b"\r" not in data else None


def _arrivals(positions: Iterable[int], ends: Sequence[int], arrival_ns: Sequence[Nanoseconds]) -> list[Nanoseconds]:
    """Return the arrival of the read that brought each position, which is where an event ends."""
    at_ns: list[Nanoseconds] = []
    read = 0
    for position in positions:
        while ends[read] < position:
            read += 1
        at_ns.append(arrival_ns[read])
    return at_ns


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
