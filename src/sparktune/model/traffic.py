"""The shape of traffic: when requests came, how long they were, what their prompts shared; no word of their text."""

__all__ = ["Traffic", "TrafficRequest"]

from dataclasses import dataclass, field

from sparktune.units import Seconds, Tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class TrafficRequest:
    """One request of a recording.

    ``at_s`` counts from the first request. The prompt of ``prompt_tokens`` begins with the first ``shared_tokens`` of
    the prompt of request ``shared_with``, which has a lower number; with None it shares nothing. ``output_tokens`` None
    was not recorded. ``place`` is the file and the line that it was read from.
    """

    number: int
    at_s: Seconds
    prompt_tokens: Tokens
    output_tokens: Tokens | None = None
    shared_with: int | None = None
    shared_tokens: Tokens = 0
    place: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        """Refuse what cannot be sent."""
        if self.prompt_tokens < 1 or self.at_s < 0 or not 0 <= self.shared_tokens <= self.prompt_tokens:
            message = f"a request needs a prompt, and shares no more than it has: {self}"
            raise ValueError(message)
        if self.shared_with is not None and self.shared_with >= self.number:
            message = f"a request shares with one before it: {self}"
            raise ValueError(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """Requests of a file in the order of their times; ``digest`` is of what they say. ``notes`` are for the reader."""

    name: str
    digest: str
    requests: tuple[TrafficRequest, ...] = field(repr=False)
    notes: tuple[str, ...] = ()

    @property
    def span_s(self) -> Seconds:
        """The time from the first request to the last one."""
        return self.requests[-1].at_s if self.requests else 0.0
