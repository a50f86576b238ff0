"""Speeds in a log that are averages over intervals in which the server was nearly idle."""

__all__ = ["RULE"]

from collections.abc import Iterator, Mapping

from sparktune.logs.rules._shared import at, log_rule
from sparktune.model.finding import Finding, Severity
from sparktune.model.log import LogFact, LogView, ReadLog
from sparktune.model.setting import Value


def _judge(view: LogView) -> Iterator[Finding]:
    for log in view.logs:
        running = _by_line(log, "stats_running")
        idle = [one for one in log.all_of("stats_generation_tok_s") if _idle(one, running)]
        if not idle:
            continue
        last = idle[-1]
        yield at(
            log,
            last.line,
            Severity.INFO,
            f"{last.value} tok/s is an average over an interval that ended with no request running"
            + (f" ({len(idle)} such lines)" if len(idle) > 1 else ""),
            "never use it as a benchmark: sparktune bench measures",
        )


def _by_line(log: ReadLog, key: str) -> Mapping[int, Value]:
    return {fact.line.number: fact.value for fact in log.all_of(key)}


def _idle(fact: LogFact, running: Mapping[int, Value]) -> bool:
    return isinstance(fact.value, int | float) and fact.value > 0 and running.get(fact.line.number) == 0


RULE = log_rule(
    "idle-interval",
    title="A speed in the log is an average over an idle interval",
    why="Tokens of a few seconds are divided by the whole interval, mostly ten seconds.",
    source="vLLM 0.8 to 0.33, v1/metrics/loggers.py",
    judge=_judge,
)
