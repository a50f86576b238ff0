"""An engine as it is now: its gauges, and what its counters rose by in the last seconds.

Nothing here is measured by us: it is what the server counts, of all its clients. A mean over a window of counters is no
percentile, and none is made of it.
"""

__all__ = ["EngineLook", "EngineMoment", "kept_moments", "look_at", "moment_of"]

from collections.abc import Sequence
from dataclasses import dataclass

from sparktune.bench.exposition import parse_exposition
from sparktune.model.counters import CounterDelta, Counters, FirstTokens, GaugeSample
from sparktune.model.engine import Engine
from sparktune.model.raw import Scrape
from sparktune.units import NS_PER_S, Nanoseconds, Ratio, Seconds, TokensPerSecond, seconds_between

_WINDOW_S: Seconds = 15.0
"""How far back rates look: long enough for some requests, short enough for "now"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineMoment:
    """One scrape, read."""

    at_ns: Nanoseconds
    gauges: GaugeSample
    counters: Counters
    first_tokens: FirstTokens | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineLook:
    """None where the server does not tell, or where there is nothing to divide by.

    Rates, means and shares are of the last ``window_s`` (0: one scrape only, or the server was restarted).
    ``first_tokens`` are the requests whose mean ``ttft_s`` is. ``drafts`` are rounds of speculative decoding,
    ``accepted_share`` of drafted tokens, ``accepted_length`` tokens a round with the model's own.
    """

    running: float | None
    waiting: float | None
    kv_use: Ratio | None
    window_s: Seconds = 0.0
    restarted: bool = False
    output_tok_s: TokensPerSecond | None = None
    prompt_tok_s: TokensPerSecond | None = None
    first_tokens: float | None = None
    ttft_s: Seconds | None = None
    drafts: float | None = None
    accepted_share: Ratio | None = None
    accepted_length: float | None = None
    preemptions: float | None = None


def moment_of(engine: Engine, scrape: Scrape) -> EngineMoment:
    """Read a scrape in the engine's words."""
    samples = parse_exposition(scrape.body)
    return EngineMoment(
        at_ns=scrape.at_ns,
        gauges=engine.gauges(samples, scrape.at_ns),
        counters=engine.counters(samples, scrape.headers),
        first_tokens=engine.first_tokens(samples),
    )


def kept_moments(past: Sequence[EngineMoment], now: EngineMoment) -> tuple[EngineMoment, ...]:
    """Return the moments that the window needs: one as old as it is, and all since; after a restart only the newest."""
    if past and CounterDelta.between(past[-1].counters, now.counters).reset:
        return (now,)
    begin_ns = now.at_ns - round(_WINDOW_S * NS_PER_S)
    older = [place for place, one in enumerate(past) if one.at_ns <= begin_ns]
    return (*past[older[-1] if older else 0 :], now)


def look_at(moments: Sequence[EngineMoment], *, restarted: bool = False) -> EngineLook:
    """Compare the newest of some moments of one life of a server with the oldest; at least one is wanted."""
    first, now = moments[0], moments[-1]
    window_s = seconds_between(first.at_ns, now.at_ns)
    gauges = now.gauges
    rose = CounterDelta.between(first.counters, now.counters)
    if window_s <= 0 or rose.reset:
        restarted = restarted or rose.reset
        return EngineLook(running=gauges.running, waiting=gauges.waiting, kv_use=gauges.kv_use, restarted=restarted)
    count, total_s = _first_tokens(first.first_tokens, now.first_tokens)
    more = _divided(rose.spec_accepted_tokens, rose.spec_drafts)
    return EngineLook(
        running=gauges.running,
        waiting=gauges.waiting,
        kv_use=gauges.kv_use,
        window_s=window_s,
        restarted=restarted,
        output_tok_s=_divided(rose.generation_tokens, window_s),
        prompt_tok_s=_divided(rose.prompt_tokens, window_s),
        first_tokens=count,
        ttft_s=_divided(total_s, count),
        drafts=rose.spec_drafts,
        accepted_share=_divided(rose.spec_accepted_tokens, rose.spec_draft_tokens),
        accepted_length=None if more is None else 1 + more,
        preemptions=rose.preemptions,
    )


def _first_tokens(before: FirstTokens | None, now: FirstTokens | None) -> tuple[float | None, Seconds | None]:
    if before is None or now is None or now.count < before.count:
        return None, None
    return now.count - before.count, now.total_s - before.total_s


def _divided(value: float | None, by: float | None) -> float | None:
    return None if value is None or not by else value / by
