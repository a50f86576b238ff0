"""What rules over logs have in common: how one is made, findings at a line, settings of a log."""

__all__ = ["Judge", "at", "log_rule", "number", "numbers", "setting", "text_of", "whose"]

from collections.abc import Callable, Iterable

from sparktune.model.finding import Finding, Severity
from sparktune.model.log import LogLine, LogRule, LogView, ReadLog
from sparktune.model.setting import Setting, Value
from sparktune.redact import redact_text

Judge = Callable[[LogView], Iterable[Finding]]


def log_rule(name: str, *, title: str, why: str, source: str, judge: Judge) -> LogRule:
    """Make a rule; ``judge`` yields findings that ``at`` made, of which the rule's name is written here."""

    def run(view: LogView) -> tuple[Finding, ...]:
        return tuple(
            Finding(
                rule=name,
                severity=one.severity,
                evidence=redact_text(" ".join(one.evidence.split())),
                hint=" ".join(one.hint.split()),
                node=one.node,
                file=one.file,
                line=one.line,
            )
            for one in judge(view)
        )

    return LogRule(id=name, title=title, why=why, source=source, run=run)


def at(log: ReadLog, line: LogLine | int | None, severity: Severity, evidence: str, hint: str) -> Finding:
    """Return a finding at a line of a log; None is the whole log."""
    number_ = line.number if isinstance(line, LogLine) else line
    return Finding(
        rule="", severity=severity, evidence=evidence, hint=hint, node=log.node or None, file=log.file, line=number_
    )


def setting(log: ReadLog, *keys: str, asked: bool = True, resolved: bool = True) -> Setting | None:
    """Return the first of these settings that a log has: what the engine runs with, or else what it was asked for."""
    known: list[Setting] = [*(log.resolved if resolved else ()), *(log.asked if asked else ())]
    return next((one for key in keys for one in known if one.key == key), None)


def number(value: Value) -> int | None:
    """Return a whole number, None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def numbers(value: Value) -> tuple[int, ...] | None:
    """Return whole numbers, None for anything else and for none."""
    if not isinstance(value, tuple):
        return None
    found = tuple(one for one in value if isinstance(one, int) and not isinstance(one, bool))
    return found if found and len(found) == len(value) else None


def text_of(value: Value) -> str:
    """Write a value for a person."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{value:,}"
    return str(value)


def whose(log: ReadLog) -> str:
    """Return what a log is called in a comparison."""
    return f"{log.node} ({log.file})" if log.node else log.file
