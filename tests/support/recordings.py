"""Hand-made recordings: what a server would have sent, in reads whose times can be computed in the head."""

__all__ = ["HEAD", "chunked", "event", "lengths_of", "one_read", "recording", "split_at"]

import json
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise

from sparktune.model.recording import End, Recording, StampSource

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def event(data: object) -> bytes:
    """Encode one event: JSON, or text as it is."""
    text = data if isinstance(data, str) else json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    return f"data: {text}\n\n".encode()


def chunked(parts: Iterable[bytes], *, ended: bool = True) -> list[bytes]:
    """Frame each part as one HTTP chunk."""
    framed = [b"%x\r\n%b\r\n" % (len(part), part) for part in parts if part]
    return [*framed, b"0\r\n\r\n"] if ended else framed


def recording(
    reads: Sequence[tuple[int, bytes]], *, end: End = End.COMPLETE, detail: str = "", send_ns: int = 0
) -> Recording:
    """Make a recording of reads (arrival in nanoseconds, bytes); each is seen 1 ns after it arrived."""
    arrivals = [at_ns for at_ns, _ in reads]
    return Recording(
        connect_start_ns=send_ns,
        connected_ns=send_ns,
        send_start_ns=send_ns,
        send_end_ns=send_ns,
        end_ns=arrivals[-1] if arrivals else send_ns,
        end=end,
        source=StampSource.KERNEL,
        data=b"".join(data for _, data in reads),
        read_ends=lengths_of(data for _, data in reads),
        arrival_ns=arrivals,
        woke_ns=[at_ns + 1 for at_ns in arrivals],
        detail=detail,
    )


def one_read(data: bytes, *, end: End = End.COMPLETE) -> Recording:
    """Make a recording in which all bytes came at 1 ns."""
    return recording([(1, data)] if data else [], end=end)


def lengths_of(parts: Iterable[bytes]) -> list[int]:
    """Return where each part ends when they are joined."""
    return list(accumulate(len(part) for part in parts))


def split_at(data: bytes, cuts: Iterable[int]) -> list[bytes]:
    """Split bytes at these places (taken modulo the length); no part is empty."""
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [data[start:end] for start, end in pairwise(places)]
