"""What the server delivered to all streams of a wave together, waiting for the prompts included.

Formula: sum of N over the streams / (last output of the wave - first send of the wave)
Unit: tok/s
Better: higher
Undefined when: a completed stream has no token count or no output.
Source: vLLM ``bench serve`` "output throughput" over one wave. It falls with longer prompts, since reading them is in
    the time; ``decode_total_tok_s`` leaves that out and ``overlap_tok_s`` also leaves out ramp and tail.
"""

__all__ = ["METRIC"]

from sparktune.bench.metrics._shared import NOT_COUNTED, each, last_output_ns, per_wave
from sparktune.bench.waves import total_tokens
from sparktune.model.metric import Better, Metric, Scope, Unknown
from sparktune.model.trial import Request, Trial
from sparktune.units import seconds_between


def _output_tok_s(trial: Trial) -> float | Unknown:
    counts = each(trial.completed, _tokens)
    lasts = each(trial.completed, last_output_ns)
    if isinstance(counts, Unknown):
        return counts
    if isinstance(lasts, Unknown):
        return lasts
    span = seconds_between(min(request.send_start_ns for request in trial.completed), int(max(lasts)))
    return sum(counts) / span if span > 0 else Unknown("the wave ended at the instant at which it began")


def _tokens(request: Request) -> float | Unknown:
    total = total_tokens(request.timeline)
    return Unknown(NOT_COUNTED) if total is None else total


METRIC = Metric(
    name="output_tok_s",
    title="output tok/s",
    unit="tok/s",
    scope=Scope.WAVE,
    better=Better.HIGHER,
    compute=per_wave(_output_tok_s),
    order=90,
    in_table=True,
)
