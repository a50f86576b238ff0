"""Positions of drafts that are hardly ever accepted."""

__all__ = ["RULE"]

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from sparktune.logs.rules._shared import at, log_rule
from sparktune.model.finding import Finding, Severity
from sparktune.model.log import LogFact, LogView, ReadLog
from sparktune.units import format_percent

_DEAD = 0.05  # accepted in fewer than one of twenty drafts
_FEWEST = 50  # drafts


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """``drafts``, ``accepted`` and ``drafted`` are counts; ``rates`` are by position, of all drafts."""

    drafts: int
    accepted: int
    drafted: int
    rates: tuple[float, ...]
    over: str
    fact: LogFact


def _judge(view: LogView) -> Iterator[Finding]:
    for log in view.logs:
        seen = _counters(log) or _intervals(log)
        if seen is None or seen.drafts < _FEWEST:
            continue
        alive = max((place for place, rate in enumerate(seen.rates, 1) if rate >= _DEAD), default=0)
        if alive == len(seen.rates):
            continue
        dead = f"{alive + 1}" if alive + 1 == len(seen.rates) else f"{alive + 1} to {len(seen.rates)}"
        rates = ", ".join(f"{rate:.4f}" for rate in seen.rates)
        yield at(
            log,
            seen.fact.line,
            Severity.INFO,
            f"draft position {dead} is hardly ever accepted: by position {rates} of {seen.drafts:,} drafts; "
            f"{seen.accepted:,} of {seen.drafted:,} draft tokens accepted, "
            f"{format_percent(seen.accepted / seen.drafted, digits=2)} (token-weighted, {seen.over}), "
            f"mean acceptance length {1 + seen.accepted / seen.drafts:.3f} with the model's own token",
            f"a candidate, no verdict: compare {_depths(alive, len(seen.rates))} with sparktune ab, on your workload "
            "and with your sampling; these counts may have other clients in them",
        )


def _depths(alive: int, depth: int) -> str:
    few = max(alive, 1)
    return f"a depth of {few} against {depth}" if few + 1 == depth else f"depths of {few} and {few + 1} against {depth}"


def _counters(log: ReadLog) -> _Seen | None:
    """Return what counters of a server say, over all of its engines."""
    positions: Counter[int] = Counter()
    for one in log.all_of("spec_position_count"):
        if isinstance(one.value, tuple) and isinstance(one.value[0], int) and isinstance(one.value[1], int):
            positions[one.value[0]] += one.value[1]
    first = log.fact("spec_drafts")
    drafts, drafted, accepted = (_sum(log, key) for key in ("spec_drafts", "spec_drafted", "spec_accepted"))
    if first is None or not positions or not drafts or not drafted or sum(positions.values()) != accepted:
        return None
    rates = tuple(positions[place] / drafts for place in range(max(positions) + 1))
    over = "over the life of the process"
    return _Seen(drafts=drafts, accepted=accepted, drafted=drafted, rates=rates, over=over, fact=first)


def _sum(log: ReadLog, key: str) -> int:
    return sum(one.value for one in log.all_of(key) if isinstance(one.value, int))


def _intervals(log: ReadLog) -> _Seen | None:
    """Return what the intervals of a log say together: each counts as often as it has drafts."""
    drafted = {one.line.number: one.value for one in log.all_of("spec_drafted")}
    accepted = {one.line.number: one.value for one in log.all_of("spec_accepted")}
    lines = [one for one in log.all_of("spec_positions") if isinstance(one.value, tuple)]
    depth = len(lines[-1].value) if lines and isinstance(lines[-1].value, tuple) else 0
    sums, drafts, total, taken, intervals = [0.0] * depth, 0.0, 0, 0, 0
    for one in lines:
        count, kept = drafted.get(one.line.number), accepted.get(one.line.number)
        if not isinstance(count, int) or not isinstance(kept, int) or not isinstance(one.value, tuple):
            continue
        if len(one.value) != depth:
            continue
        drafts, total, taken, intervals = drafts + count / depth, total + count, taken + kept, intervals + 1
        for place, rate in enumerate(one.value):
            sums[place] += float(rate) * count / depth if isinstance(rate, int | float) else 0.0
    if not drafts or not lines:
        return None
    rates = tuple(one / drafts for one in sums)
    over = f"over {intervals} interval{'s' if intervals > 1 else ''} of this log"
    return _Seen(drafts=round(drafts), accepted=taken, drafted=total, rates=rates, over=over, fact=lines[-1])


RULE = log_rule(
    "draft-depth",
    title="Positions of drafts that are hardly ever accepted",
    why="Every position is drafted and verified in each step, accepted or not.",
    source="vLLM, v1/spec_decode/metrics.py; MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark, results and pull 91",
    judge=_judge,
)
