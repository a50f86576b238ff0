"""A recorded wave to a decoded trial."""

__all__ = ["decode_trial"]

from sparktune.bench.decode import decode
from sparktune.bench.exposition import parse_exposition
from sparktune.model.counters import CounterDelta, Counters, GaugeSample
from sparktune.model.engine import Engine
from sparktune.model.options import SendOptions
from sparktune.model.raw import RawRequest, RawTrial, Scrape
from sparktune.model.trial import Request, Trial


def decode_trial(raw: RawTrial, engine: Engine, options: SendOptions) -> Trial:
    """Decode every request of a wave, its counters and its gauges. Raises nothing for what a server sent."""
    return Trial(
        cell=raw.cell,
        index=raw.index,
        phase=raw.phase,
        started_wall_s=raw.started_wall_s,
        requests=tuple(_request(request, engine, options) for request in raw.requests),
        health=raw.health,
        counters=_counters(raw, engine),
        gauges=tuple(_gauges(scrape, engine) for scrape in raw.during),
    )


def _request(raw: RawRequest, engine: Engine, options: SendOptions) -> Request:
    recording = raw.recording
    return Request(
        stream=raw.stream,
        prompt_sha256=raw.prompt_sha256,
        prompt_tokens_asked=raw.prompt_tokens_asked,
        output_tokens_asked=raw.output_tokens_asked,
        send_start_ns=recording.send_start_ns,
        send_end_ns=recording.send_end_ns,
        end_ns=recording.end_ns,
        timeline=decode(
            recording,
            engine,
            output_tokens_asked=raw.output_tokens_asked,
            fixed_length=options.fixed_length,
            first_tokens=raw.first_tokens,
        ),
    )


def _counters(raw: RawTrial, engine: Engine) -> CounterDelta | None:
    """Return what the counters rose by; None when the server offers none that this engine file knows."""
    if raw.before is None or raw.after is None:
        return None
    before, after = _read(raw.before, engine), _read(raw.after, engine)
    nothing = Counters(identity=after.identity)
    return None if after == nothing else CounterDelta.between(before, after)


def _read(scrape: Scrape, engine: Engine) -> Counters:
    return engine.counters(parse_exposition(scrape.body), scrape.headers)


def _gauges(scrape: Scrape, engine: Engine) -> GaugeSample:
    return engine.gauges(parse_exposition(scrape.body), scrape.at_ns)
