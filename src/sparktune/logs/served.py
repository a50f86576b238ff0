"""Whether an engine went on generating tokens after an error: then the error did not end it.

A client's bad request is logged as an error, with a traceback. Source: vLLM 0.8 to 0.33, entrypoints/openai: errors of
one request are logged, and the server goes on.
"""

__all__ = ["served_after"]

from typing import Final

from sparktune.model.log import LogEvent, LogFact, LogRole, ReadLog
from sparktune.units import Seconds

_AFTER_S: Final[Seconds] = 60.0  # an average over ten seconds or thirty can still be of the time before
_TOKENS: Final = ("stats_generation_tok_s", "stats_request_tok_s")


def served_after(log: ReadLog, event: LogEvent) -> Seconds | None:
    """Return for how long tokens were generated after the last line of an event, None where no line says so.

    What follows from a failure elsewhere is left to that failure.
    """
    if event.last.time_s is None or (event.signature is not None and event.signature.role is LogRole.SECONDARY):
        return None
    last_s = event.last.time_s
    later = [
        fact.line.time_s - last_s
        for fact in log.facts
        if fact.key in _TOKENS
        and _above_zero(fact)
        and fact.line.number > event.last.number  # a clock may have been set back
        and fact.line.time_s is not None
    ]
    after = max(later, default=0.0)
    return after if after > _AFTER_S else None


def _above_zero(fact: LogFact) -> bool:
    return isinstance(fact.value, int | float) and fact.value > 0
