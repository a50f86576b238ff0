"""A trial before anything is understood: what the store keeps, so that every report can be rebuilt from it."""

__all__ = ["RawRequest", "RawTrial", "Scrape"]

from collections.abc import Mapping
from dataclasses import dataclass, field

from sparktune.model.cell import Cell
from sparktune.model.recording import Recording
from sparktune.model.trial import ClientHealth, Phase
from sparktune.units import Nanoseconds, Seconds, Tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Scrape:
    """One answer of the server's metrics route, unparsed; ``at_ns`` is monotonic."""

    at_ns: Nanoseconds
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RawRequest:
    """One recorded request; fields as in ``model.trial.Request``.

    ``first_tokens`` is the server's tokenizer's count of the first output chunk's text, where it had to be asked
    after the wave; None otherwise.
    """

    stream: int
    prompt_sha256: str
    prompt_tokens_asked: Tokens
    output_tokens_asked: Tokens
    recording: Recording
    first_tokens: Tokens | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RawTrial:
    """One recorded wave. ``before`` and ``after`` are the scrapes around it, ``during`` those taken while it ran.

    ``complete`` is false for a wave that was ended from outside (Ctrl-C, a crash): its finished requests are kept,
    but it is no trial of its cell.
    """

    cell: Cell
    index: int
    phase: Phase
    started_wall_s: Seconds
    requests: tuple[RawRequest, ...]
    health: ClientHealth
    before: Scrape | None = None
    after: Scrape | None = None
    during: tuple[Scrape, ...] = ()
    complete: bool = True
