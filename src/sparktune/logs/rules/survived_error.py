"""Errors in a log after which the engine went on generating tokens."""

__all__ = ["RULE"]

from collections.abc import Iterator

from sparktune.logs.rules._shared import at, log_rule
from sparktune.logs.served import served_after
from sparktune.model.finding import Finding, Severity
from sparktune.model.log import LogRole, LogView
from sparktune.units import format_duration

_FAILING = (None, LogRole.ROOT)


def _judge(view: LogView) -> Iterator[Finding]:
    for log in view.logs:
        found = [
            (event, after)
            for event in log.events
            if event.start == log.starts
            and (None if event.signature is None else event.signature.role) in _FAILING
            and (after := served_after(log, event)) is not None
        ]
        if not found:
            continue
        event, after = found[-1]
        what = event.signature.title if event.signature is not None else event.first.text[:300]
        more = f"; {len(found) - 1} more before it" if len(found) > 1 else ""
        yield at(
            log,
            event.first,
            Severity.WARNING,
            f"an error did not end the engine, which generated tokens up to {format_duration(after)} after it: "
            f"{what}{more}",
            "mostly one request failed: look at what its client sent, and do not count it in a measurement",
        )


RULE = log_rule(
    "survived-error",
    title="An error that the engine survived",
    why="It is a failure of a request, or of a part that the engine does without, and not why an engine is down.",
    source="vLLM 0.8 to 0.33, entrypoints/openai; SGLang 0.5.23",
    judge=_judge,
)
