"""How fast all streams of a wave write together, from the first output of any to the last output of all.

Formula: sum of (N - n_first) over the streams / (max t_last_output - min t_first_output)
Unit: tok/s
Better: higher
Undefined when: ``decode_tok_s`` is undefined for a completed stream.
Source: llama-benchy 0.4.0 "tg t/s (total)". Streams that begin late or end early lower it; ``overlap_tok_s`` is the
    variant over the time in which all streams write.
"""

__all__ = ["METRIC"]

from sparktune.bench.metrics._shared import decode_tok_s, each, later_tokens, per_wave
from sparktune.model.metric import Better, Metric, Scope, Unknown
from sparktune.model.trial import Request, Trial
from sparktune.units import seconds_between


def _decode_total_tok_s(trial: Trial) -> float | Unknown:
    counts = each(trial.completed, _later_tokens)
    if isinstance(counts, Unknown):
        return counts
    instants = [request.timeline.output_ns for request in trial.completed]
    span = seconds_between(min(times[0] for times in instants), max(times[-1] for times in instants))
    return sum(counts) / span


def _later_tokens(request: Request) -> float | Unknown:
    rate = decode_tok_s(request)
    return rate if isinstance(rate, Unknown) else later_tokens(request.timeline)


METRIC = Metric(
    name="decode_total_tok_s",
    title="decode tok/s (total)",
    unit="tok/s",
    scope=Scope.WAVE,
    better=Better.HIGHER,
    compute=per_wave(_decode_total_tok_s),
    order=100,
)
