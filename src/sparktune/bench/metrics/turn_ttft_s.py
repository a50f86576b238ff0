"""How long each turn of a household's session waits for its first output.

Formula: TTFT of turn i; the first turn is cold, the others find what was sent before them in the prefix cache
Unit: s
Better: lower
Undefined when: the cell is no household, one of its requests failed, or one sent no output.
Source: our own. The turn after the interrupted one shows what the other agent's prompt has cost: its place in a queue,
    and its prefix if the cache had to make room.
"""

__all__ = ["METRIC"]

from sparktune.bench.metrics._shared import each, of_household, ttft_s
from sparktune.model.metric import Better, Metric, Scope, Unknown
from sparktune.model.mix import Household
from sparktune.model.trial import Trial


def _turns(trial: Trial, mix: Household) -> tuple[float, ...] | Unknown:
    return each(trial.requests[: mix.turns], ttft_s)


METRIC = Metric(
    name="turn_ttft_s",
    title="turn TTFT",
    unit="s",
    scope=Scope.POSITION,
    better=Better.LOWER,
    compute=of_household(_turns),
    order=510,
)
