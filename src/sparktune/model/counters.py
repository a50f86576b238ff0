"""Server counters and gauges in one vocabulary; each engine file maps its own names to these.

None means that the server does not tell; it never means 0.
"""

__all__ = ["CounterDelta", "Counters", "FirstTokens", "GaugeSample"]

from dataclasses import dataclass, fields

from sparktune.units import Nanoseconds, Ratio, Seconds, Tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """Monotonic counters at one instant, summed over data-parallel engines.

    ``prompt_tokens`` counts all prompt tokens that requests brought, cached ones included; ``cached_prompt_tokens``
    those taken from a cache. ``prefix_queries`` and ``prefix_hits`` are tokens. ``spec_*`` describe speculative
    decoding: draft rounds, tokens drafted, tokens accepted, and accepted per draft position from 0.
    ``identity`` changes when the server restarts (a start time, for instance).
    """

    requests_finished: float | None = None
    prompt_tokens: float | None = None
    cached_prompt_tokens: float | None = None
    prefix_queries: float | None = None
    prefix_hits: float | None = None
    generation_tokens: float | None = None
    preemptions: float | None = None
    spec_drafts: float | None = None
    spec_draft_tokens: float | None = None
    spec_accepted_tokens: float | None = None
    spec_accepted_per_position: tuple[float, ...] | None = None
    identity: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CounterDelta(Counters):
    """What the counters rose by during one wave: the same fields, None where either end is unknown, no identity.

    ``reset`` is true when the server restarted between the two readings: then no field is known.
    """

    reset: bool = False

    @classmethod
    def between(cls, before: Counters, after: Counters) -> "CounterDelta":
        """Subtract field by field; a counter that fell, or another identity, is a restart (``reset``)."""
        values: dict[str, float | tuple[float, ...] | None] = {}
        for item in fields(Counters):
            if item.name == "identity":
                continue
            values[item.name] = _difference(getattr(before, item.name), getattr(after, item.name))
        fell = any(_is_negative(value) for value in values.values())
        if fell or before.identity != after.identity:
            return cls(reset=True)
        return cls(**values)  # type: ignore[arg-type]  # names and types are those of Counters


@dataclass(frozen=True, slots=True, kw_only=True)
class GaugeSample:
    """Gauges at one instant while a wave ran; ``kv_use`` is the share of the KV pool in use, 0..1."""

    at_ns: Nanoseconds
    running: float | None = None
    waiting: float | None = None
    kv_use: Ratio | None = None
    kv_tokens: Tokens | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstTokens:
    """First tokens that a server sent since its start: how many, and the sum of their times, as it counts."""

    count: float
    total_s: Seconds


_Value = float | tuple[float, ...] | None


def _difference(before: _Value, after: _Value) -> _Value:
    if isinstance(before, tuple) or isinstance(after, tuple):
        # Positions appear with the first speculative request: an absent position was 0.
        first = before if isinstance(before, tuple) else ()
        last = after if isinstance(after, tuple) else ()
        padded = first + (0.0,) * (len(last) - len(first))
        return tuple(new - old for old, new in zip(padded, last, strict=False)) if last else None
    if before is None or after is None:
        return None
    return after - before


def _is_negative(value: _Value) -> bool:
    if isinstance(value, tuple):
        return any(item < 0 for item in value)
    return value is not None and value < 0
