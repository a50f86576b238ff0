"""V10: the server was still warming up when it was measured.

Looks at: how the cell's warm-up ended, and whether its first measured trial is far slower than the others, in median
    TTFT or output rate: slower than their median by more than 10 % and by more than five (scaled median) absolute
    deviations. And whether five trials or more go one way, from the first to the last.
Warns when: there was no warm-up, it ended at a limit before its waves agreed, or it agreed and the first trial is slow
    all the same; or the later half of the trials is more than 10 % slower or faster than the earlier half, in an order
    that chance gives less than once in a hundred times (Kendall's tau, exact): a median of such trials is of no state.
Invalid when: the first trial is slow and no warm-up had agreed: compilation or caching is inside the measurement.
Unknown when: the warm-up is not recorded; or a fixed number of waves was sent, so that nothing agreed, and fewer than
    three trials are there to compare.
Source: JIT, autotuning and graph capture happen once per shape. criterion and hyperfine warm up likewise, and hyperfine
    tells a slow first run. Rank test against a trend: M. G. Kendall, "A New Measure of Rank Correlation", 1938.
"""

__all__ = ["CHECK"]

from collections.abc import Sequence

from sparktune.bench.stats import first_is_slow, trend
from sparktune.bench.validity._shared import Finding, make_check
from sparktune.model.check import CellEvidence, RunEvidence, Status
from sparktune.model.warmup import WarmupOutcome
from sparktune.units import count_of, format_percent

_FEWEST_TRIALS = 3
_FEWEST_WAVES = 3  # below it there is nothing to agree
_SERIES = (("ttft_s", "TTFT", False), ("output_tok_s", "output rate", True))
_OFF_HINT = "repeat with --warmup auto"
_NOISE_HINT = "the machine or the server is noisy or shared: free it, or raise --trials"
_LONG_HINT = "a wave of this cell is long: give the number of warm-up waves, for instance --warmup 3"
_NO_VALUES_HINT = "warm-up waves failed or their tokens were not counted: see V19 and V21"
_SLOWING_HINT = "no steady state: look for heat, memory that fills, or a queue that grows (sparktune watch), and repeat"
_WARMING_HINT = "it was still warming up: repeat with --warmup auto, or with more warm-up waves"
_COMPILES_HINT = "look for compilation in the server's log, and repeat"


def _judge(cell: CellEvidence, _run: RunEvidence) -> Sequence[Finding]:
    slow = _slow_first_trial(cell)
    warm_up = _warm_up(cell, slow=bool(slow))
    if not slow:
        return [warm_up, *_trends(cell)]
    agreed = cell.warmup is not None and cell.warmup.steady is True
    status = Status.WARN if agreed else Status.INVALID
    not_asked = cell.warmup is not None and cell.warmup.steady is None
    hint = f"{_COMPILES_HINT} with --warmup auto" if not_asked else _COMPILES_HINT
    return [Finding(status=status, evidence=f"{slow}; {warm_up.evidence}", hint=hint)]


def _warm_up(cell: CellEvidence, *, slow: bool) -> Finding:
    outcome = cell.warmup
    if outcome is None:
        return Finding(status=Status.UNKNOWN, evidence="the warm-up of this cell is not recorded")
    waves = count_of(outcome.waves, "warm-up wave")
    if outcome.steady:
        within = "" if outcome.spread is None else f", the last within {format_percent(outcome.spread)} of their mean"
        return Finding(status=Status.OK, evidence=f"{waves}{within}")
    if outcome.steady is False:
        return Finding(
            status=Status.WARN, evidence=f"the warm-up did not settle: {outcome.why}", hint=_unsettled(outcome)
        )
    if not outcome.waves:
        return Finding(status=Status.WARN, evidence="no warm-up", hint=_OFF_HINT)
    if len(cell.trials) < _FEWEST_TRIALS:
        trials = count_of(len(cell.trials), "trial")
        evidence = f"{waves}, their agreement was not asked for, and {trials} show no trend"
        return Finding(status=Status.UNKNOWN, evidence=evidence)
    seen = "whether these agreed was not asked for" if slow else f"the first of {len(cell.trials)} trials is not slower"
    return Finding(status=Status.OK, evidence=f"{waves}, and {seen}")


def _unsettled(outcome: WarmupOutcome) -> str:
    if outcome.spread is not None:
        return _NOISE_HINT
    return _LONG_HINT if outcome.waves < _FEWEST_WAVES else _NO_VALUES_HINT


def _values(cell: CellEvidence, name: str) -> Sequence[float]:
    """Return a metric's value of every trial; none where one trial has none."""
    summary = cell.metric(name)
    values = [value for value in summary.per_trial if value is not None] if summary else []
    return values if summary is not None and len(values) == len(summary.per_trial) else ()


def _trends(cell: CellEvidence) -> Sequence[Finding]:
    """Say that the trials went one way."""
    for name, title, higher_is_faster in _SERIES:
        times = trend(_values(cell, name))
        if times is None:
            continue
        slower = (times < 1) == higher_is_faster
        by = times if times > 1 else 1 / times
        word = "slower" if slower else "faster"
        evidence = f"{title} got {word} from trial to trial: {by:.2f} times between the halves"
        return [Finding(status=Status.WARN, evidence=evidence, hint=_SLOWING_HINT if slower else _WARMING_HINT)]
    return []


def _slow_first_trial(cell: CellEvidence) -> str:
    for name, title, higher_is_faster in _SERIES:
        times = first_is_slow(_values(cell, name), higher_is_faster=higher_is_faster)
        if times is not None:
            return f"the first trial's {title} is {times:.2f} times slower than the median of the others"
    return ""


CHECK = make_check("V10", "warmed up", _judge)
