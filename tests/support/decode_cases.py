"""Read the streams in ``tests/cases/decode``: what a server sent, when, and what is true about it."""

__all__ = ["CASES", "DecodeCase", "load_cases"]

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from tests.support.recordings import chunked, event, recording

from sparktune.engines import by_name
from sparktune.model.engine import Engine
from sparktune.model.recording import End, Recording

CASES = Path(__file__).parents[1] / "cases" / "decode"
_NS_PER_MS = 1_000_000
_FIELDS = {
    "why",
    "engine",
    "asked",
    "fixed",
    "first_tokens",
    "head",
    "framing",
    "end",
    "detail",
    "cut",
    "sent",
    "expect",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodeCase:
    """One stream and the truth about it. ``sent`` are pieces of the body with their arrival in milliseconds.

    ``framing`` is chunked, length, close (the body ends with the connection) or none (there is no answer at all);
    ``cut`` drops that many bytes from the end of what was sent.
    """

    name: str
    engine: Engine
    sent: tuple[tuple[float, bytes], ...]
    expect: dict[str, Any]
    asked: int | None = None
    fixed: bool = False
    first_tokens: int | None = None
    head: tuple[str, ...] = ("HTTP/1.1 200 OK", "Content-Type: text/event-stream")
    framing: str = "chunked"
    end: End = End.COMPLETE
    detail: str = ""
    cut: int = 0
    body: bytes = field(init=False)

    def __post_init__(self) -> None:
        """Join the body once."""
        object.__setattr__(self, "body", b"".join(piece for _, piece in self.sent))

    def recorded(self) -> Recording:
        """Return the recording as it was sent: head with the first piece, one piece per HTTP chunk and read."""
        if self.framing == "none":
            reads = [(round(at * _NS_PER_MS), piece) for at, piece in self.sent]
            return recording(reads, end=self.end, detail=self.detail)
        pieces = [piece for _, piece in self.sent]
        framed = chunked(pieces) if self.framing == "chunked" else [*pieces, b""]
        times = [round(at * _NS_PER_MS) for at, _ in self.sent]
        times = [*times, times[-1]] if times else [0]
        framed[0] = self.head_bytes() + framed[0]
        return _cut(recording(list(zip(times, framed, strict=True)), end=self.end, detail=self.detail), self.cut)

    def head_bytes(self) -> bytes:
        """Return the head, with the header that the framing needs."""
        framing = {"chunked": ("Transfer-Encoding: chunked",), "length": (f"Content-Length: {len(self.body)}",)}
        return "\r\n".join([*self.head, *framing.get(self.framing, ()), "", ""]).encode()


def load_cases() -> list[DecodeCase]:
    """Return every case of every file."""
    yaml = YAML(typ="safe")
    return [
        _case(f"{path.stem}/{name}", fields)
        for path in sorted(CASES.glob("*.yaml"))
        for name, fields in yaml.load(path).items()
    ]


def _case(name: str, fields: dict[str, Any]) -> DecodeCase:
    unknown = fields.keys() - _FIELDS
    assert not unknown, f"{name} has unknown fields {unknown}"
    known = {
        key: fields[key] for key in ("asked", "fixed", "first_tokens", "framing", "detail", "cut") if key in fields
    }
    if "head" in fields:
        known["head"] = tuple(fields["head"])
    return DecodeCase(
        name=name,
        engine=by_name(fields["engine"]),
        sent=tuple(_piece(item) for item in fields.get("sent", ())),
        expect=fields["expect"],
        end=End(fields.get("end", "complete")),
        **known,
    )


def _piece(item: dict[str, Any]) -> tuple[float, bytes]:
    """One item: ``at`` with ``data`` (an event) or ``raw`` (bytes as they are)."""
    at = item["at"]
    return (at, item["raw"].encode()) if "raw" in item else (at, event(item["data"]))


def _cut(whole: Recording, cut: int) -> Recording:
    """Drop bytes from the end, and the reads that hold nothing any more."""
    size = len(whole.data) - cut
    reads = [place for place, end in enumerate(whole.read_ends) if (whole.read_ends[place - 1] if place else 0) < size]
    return replace(
        whole,
        data=whole.data[:size],
        read_ends=[min(whole.read_ends[place], size) for place in reads],
        arrival_ns=[whole.arrival_ns[place] for place in reads],
        woke_ns=[whole.woke_ns[place] for place in reads],
    )
