"""How fast a household's first agent writes while it has the server for itself.

Formula: tokens after the first output chunk of each turn, as far as they came before the long prompt was sent, / the
    time in which they came, all those turns together
Unit: tok/s
Better: higher
Undefined when: the cell is no household, one of its requests failed, the server gives no token count per chunk, or
    nothing was written after a first chunk before the long prompt.
Source: our own; what the rate during the other agent's prefill is compared with, in the same wave.
"""

__all__ = ["METRIC"]

from sparktune.bench.metrics._shared import decoded, of_household
from sparktune.model.metric import Better, Metric, Scope, Unknown
from sparktune.model.mix import Household
from sparktune.model.trial import Trial


def _before(trial: Trial, mix: Household) -> tuple[float, ...] | Unknown:
    sent_ns = trial.requests[mix.long_stream].send_start_ns
    return decoded(trial.requests[: mix.interrupted + 1], None, sent_ns)


METRIC = Metric(
    name="decode_before_tok_s",
    title="decode before",
    unit="tok/s",
    scope=Scope.WAVE,
    better=Better.HIGHER,
    compute=of_household(_before),
    order=530,
)
