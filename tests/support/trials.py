"""Trials from short descriptions: times in whole milliseconds from the first send, one token per chunk unless told."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sparktune.model.arrival import Arrivals
from sparktune.model.cell import Cell
from sparktune.model.counters import CounterDelta, GaugeSample
from sparktune.model.mix import Household, OwnPrompts
from sparktune.model.recording import StampSource
from sparktune.model.timeline import CountMethod, Failure, FailureType, Timeline, Usage
from sparktune.model.trial import ClientHealth, Phase, Request, Trial

Spec = Mapping[str, Any]

NS_PER_MS = 1_000_000
# Monotonic clocks do not begin at 0: a formula that forgets to subtract the send shows.
START_NS = 5_000 * NS_PER_MS

HEALTHY = ClientHealth(
    wall_s=1.0,
    cpu_ratio=0.1,
    lag_p99_s=0.0005,
    lag_max_s=0.001,
    send_skew_s=0.0002,
    cores=(0,),
    source=StampSource.KERNEL,
    reads=10,
)


_STREAM_KEYS = frozenset(
    {"send", "outputs", "tokens", "first_tokens", "method", "completion", "prompt", "cached", "visible", "finish"}
    | {"limit", "failure", "fields", "fingerprint", "model", "notes", "sha", "asked", "end", "copies"}
)
_TRIAL_KEYS = frozenset({"streams", "counters", "gauges", "health", "repeat"})


def refuse_unknown(spec: Spec, known: frozenset[str]) -> None:
    """Fail on a key that nothing reads: a misspelt one would make its case say less than it seems to."""
    unknown = set(spec) - known
    assert not unknown, f"unknown keys {sorted(unknown)} in {dict(spec)}"


def at(milliseconds: float) -> int:
    """Return the instant of a time in a description."""
    return START_NS + round(milliseconds * NS_PER_MS)


def make_spec_cell(spec: Spec) -> Cell:
    """Return a cell from ``prompt, output, depth, streams``, each of which has a default; or a mix.

    ``turns`` makes it a household whose turns have 100, 110, ... tokens and whose long prompt has 1000; ``own`` a file
    of that many prompts, with a nonce in front of each or not (``nonce``). ``stagger`` is in milliseconds.
    """
    if "turns" in spec:
        sizes = {"opening_tokens": 100, "turn_tokens": 10, "reply_tokens": 10, "long_tokens": 1000}
        return Cell.of_household(Household(turns=spec["turns"], long_reply_tokens=5, **sizes))
    own = (
        OwnPrompts(name="own.jsonl", digest="abcdef012345", count=spec["own"], nonce=spec.get("nonce", False))
        if ("own" in spec)
        else None
    )
    return Cell(
        prompt_tokens=0 if own else spec.get("prompt", 100),
        output_tokens=spec.get("output", 10),
        depth=spec.get("depth", 0),
        concurrency=spec.get("streams", 1),
        arrivals=Arrivals(stagger_s=spec.get("stagger", 0) / 1000),
        prompts=own,
    )


def make_timeline(spec: Spec, *, prompt_tokens: int) -> Timeline:
    """Return what a stream said; ``tokens: null`` is a server that does not count chunks, ``completion: null`` none."""
    outputs = spec.get("outputs", [])
    tokens = spec.get("tokens", [1] * len(outputs))
    failure = spec.get("failure")
    return Timeline(
        status=200,
        output_ns=tuple(at(time) for time in outputs),
        output_tokens=None if tokens is None else tuple(tokens),
        first_tokens=spec.get("first_tokens"),
        count_method=CountMethod(spec.get("method", "token_ids" if tokens is not None else "total_only")),
        visible_ns=at(spec["visible"]) if spec.get("visible") is not None else None,
        usage=Usage(
            prompt_tokens=spec.get("prompt", prompt_tokens),
            completion_tokens=spec.get("completion", sum(tokens) if tokens else None),
            cached_tokens=spec.get("cached"),
        ),
        finish_reason=spec.get("finish", "length"),
        failure=None if failure is None else Failure(type=FailureType(failure)),
        unknown_fields=tuple(spec.get("fields", ())),
        fingerprint=spec.get("fingerprint"),
        model=spec.get("model"),
        notes=tuple(spec.get("notes", ())),
    )


def make_request(spec: Spec, *, cell: Cell, stream: int, unique: str) -> Request:
    """Return one request; ``unique`` makes its digest, unless the description has one (``sha``)."""
    refuse_unknown(spec, _STREAM_KEYS)
    sent = spec.get("send", 0)
    outputs = spec.get("outputs", [])
    digest = str(spec.get("sha", "")) or hashlib.sha256(f"{unique}/{stream}".encode()).hexdigest()
    return Request(
        stream=stream,
        prompt_sha256=digest,
        prompt_tokens_asked=spec.get("asked", cell.total_prompt_tokens),
        output_tokens_asked=spec.get("limit", cell.output_tokens),
        send_start_ns=at(sent),
        send_end_ns=at(sent),
        end_ns=at(spec.get("end", outputs[-1] if outputs else sent)),
        timeline=make_timeline(spec, prompt_tokens=cell.total_prompt_tokens),
    )


def make_trial(spec: Spec, *, cell: Cell, index: int = 0, phase: Phase = Phase.MEASURE) -> Trial:
    """Return one wave from ``streams`` (each with ``copies``), ``counters``, ``gauges`` and ``health``."""
    refuse_unknown(spec, _TRIAL_KEYS)
    streams = [stream for stream in spec.get("streams", []) for _ in range(stream.get("copies", 1))]
    unique = f"{cell.label}/{phase.value}/{index}"
    counters = spec.get("counters")
    health = dict(spec.get("health", {}))
    if "source" in health:
        health["source"] = StampSource(health["source"])
    return Trial(
        cell=cell,
        index=index,
        phase=phase,
        started_wall_s=1_700_000_000.0 + index,
        requests=tuple(
            make_request(stream, cell=cell, stream=number, unique=unique) for number, stream in enumerate(streams)
        ),
        health=replace(HEALTHY, **health),
        counters=None if counters is None else make_delta(counters),
        gauges=tuple(GaugeSample(at_ns=at(0), **sample) for sample in spec.get("gauges", [])),
    )


def make_trials(specs: Sequence[Spec], *, cell: Cell, phase: Phase = Phase.MEASURE) -> tuple[Trial, ...]:
    """Return waves in order, each as often as its ``repeat`` says."""
    repeated = [spec for spec in specs for _ in range(spec.get("repeat", 1))]
    return tuple(make_trial(spec, cell=cell, index=index, phase=phase) for index, spec in enumerate(repeated))


def make_delta(spec: Spec) -> CounterDelta:
    """Return what counters rose by."""
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in spec.items()}
    return CounterDelta(**values)
