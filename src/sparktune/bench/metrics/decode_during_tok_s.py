"""How fast a household's first agent writes while the other agent's long prompt is read.

Formula: tokens of the interrupted turn that came between the long prompt's send and its first output, / that time; the
    time ends with the turn where the turn ends first. 0 is a value: the answer stood still.
Unit: tok/s
Better: higher
Undefined when: the cell is no household, one of its requests failed, the server gives no token count per chunk, or the
    turn had not begun, or had ended, when the long prompt was sent.
Source: our own. An engine that reads a long prompt in one step stops everybody who is writing; chunked prefill does
    not.
"""

__all__ = ["METRIC"]

from sparktune.bench.metrics._shared import decoded, of_household
from sparktune.model.metric import Better, Metric, Scope, Unknown
from sparktune.model.mix import Household
from sparktune.model.trial import Trial


def _during(trial: Trial, mix: Household) -> tuple[float, ...] | Unknown:
    long, turn = trial.requests[mix.long_stream], trial.requests[mix.interrupted]
    first_ns = long.timeline.first_ns
    if first_ns is None:
        return Unknown("the long prompt got no output")
    outputs = turn.timeline.output_ns
    if not outputs or not outputs[0] <= long.send_start_ns < outputs[-1]:
        return Unknown("the first agent was not writing when the long prompt was sent")
    return decoded([turn], long.send_start_ns, first_ns)


METRIC = Metric(
    name="decode_during_tok_s",
    title="decode during",
    unit="tok/s",
    scope=Scope.WAVE,
    better=Better.HIGHER,
    compute=of_household(_during),
    order=540,
)
