"""What logs tell, for a terminal: what failed first, its cause and way out, what follows, findings, then facts."""

__all__ = ["logs_text"]

from collections.abc import Iterator, Sequence
from typing import Final

from sparktune.model.finding import Finding, Severity
from sparktune.model.log import FirstError, LogLine, LogReport, LogRole, ReadLog
from sparktune.report.bench.words import one_line, printable
from sparktune.report.layout import fold
from sparktune.report.logs.facts import facts_table
from sparktune.report.logs.shorter import shorter
from sparktune.report.logs.words import following, place, title
from sparktune.units import count_of

_INDENT: Final = "  "
_COLOURS: Final = {Severity.ERROR: "31;1", Severity.WARNING: "33;1", Severity.INFO: "36"}
_WORDS: Final = {Severity.ERROR: "ERROR", Severity.WARNING: "WARNING", Severity.INFO: "NOTE"}
_MOST_LATER: Final = 8
_MOST_TEXT: Final = 600


def logs_text(
    report: LogReport,
    notes: Sequence[str] = (),
    *,
    facts_only: bool = False,
    everything: bool = False,
    quiet: bool = False,
    width: int = 100,
    color: bool = False,
) -> str:
    """Return the report. ``quiet`` has the verdict alone; ``everything`` also what is noise, and every fact."""
    report = shorter(report)
    verdict = _wrapped(_verdict(report), width)
    if quiet:
        return f"{verdict}\n"
    blocks = [verdict]
    if not facts_only:
        blocks += _blocks(report, notes, width, everything=everything, color=color)
    blocks.append(facts_table(report.view.logs, width, everything=everything or facts_only))
    return "\n\n".join(block for block in blocks if block) + "\n"


def _blocks(report: LogReport, notes: Sequence[str], width: int, *, everything: bool, color: bool) -> Iterator[str]:
    if report.first is not None:
        yield "\n".join(_first(report.first, width))
    yield "\n".join(_wrapped(text, width) for text in report.trend)
    yield "\n".join(_later(report, width, everything=everything))
    for finding in report.findings:
        yield "\n".join(_finding(finding, width, color=color))
    told = [*_noted(report, LogRole.NOTE)]
    yield "\n".join(_wrapped(text, width) for text in told)
    benign = [*_noted(report, LogRole.BENIGN)]
    if everything:
        yield "\n".join(_wrapped(text, width) for text in benign)
    elif benign:
        yield f"{count_of(len(benign), 'message')} that look bad are noise: --all shows them"
    yield "\n".join(_wrapped(text, width) for text in notes)


def _verdict(report: LogReport) -> str:
    logs = report.view.logs
    first = report.first
    if first is None:
        read = f"{count_of(sum(log.lines for log in logs), 'line')} of {count_of(len(logs), 'log')}"
        errors = sum(one.severity is Severity.ERROR for one in report.findings)
        also = f"; {count_of(errors, 'finding')} of an error below" if errors else ""
        return f"no failure in {read}{also}"
    where = place(first.log, first.event.first, many=len(logs) > 1)
    who = first.log.node or (first.log.file if len(logs) > 1 else "the engine")
    known = first.event.signature
    if known is not None and known.role is LogRole.SECONDARY:
        return f"the first cause is not in these logs; {who} noticed first: {known.title} ({where})"
    sure = "failed first" if first.sure else "probably failed first"
    return f"{who} {sure}: {title(first.event)} ({where})"


def _first(first: FirstError, width: int) -> Iterator[str]:
    event, known = first.event, first.event.signature
    if known is None:
        yield "unknown, here are the lines around it:"
        yield from (_quoted(line) for line in event.around or (event.first,))
    else:
        yield _quoted(event.first)
        for text in (event.told, known.cause and f"cause: {known.cause}", known.fix and f"fix: {known.fix}"):
            if text:
                yield _wrapped(text, width, _INDENT)
    if first.why:
        yield _wrapped(f"the order is {'as' if first.sure else 'not sure'}: {first.why}", width, _INDENT)


def _later(report: LogReport, width: int, *, everything: bool) -> Iterator[str]:
    folded = following(report.later)
    if folded:
        yield _wrapped(folded, width)
    others = [
        (log, event)
        for log, event in report.later
        if everything or event.signature is None or event.signature.role is not LogRole.SECONDARY
    ]
    if others:
        yield "later:"
    for log, event in others if everything else others[:_MOST_LATER]:
        times = f", {event.count} times" if event.count > 1 else ""
        yield _wrapped(f"{_who(log)}{place(log, event.first)}{times}: {title(event)}", width, _INDENT)
        if event.signature is None:
            yield _quoted(event.first, 2 * _INDENT)
    if len(others) > _MOST_LATER and not everything:
        yield f"{_INDENT}and {len(others) - _MOST_LATER} more: --all shows them"


def _finding(finding: Finding, width: int, *, color: bool) -> Iterator[str]:
    word = _WORDS[finding.severity]
    shown = f"\x1b[{_COLOURS[finding.severity]}m{word}\x1b[0m" if color else word
    at = f"{finding.file}:{finding.line}" if finding.file and finding.line else finding.file or ""
    yield f"{shown}  {'  '.join(one_line(part) for part in (finding.rule, finding.node, at) if part)}"
    yield _wrapped(finding.evidence, width, _INDENT)
    yield _wrapped(f"fix: {finding.hint}", width, _INDENT)


def _noted(report: LogReport, role: LogRole) -> Iterator[str]:
    """Yield what is worth knowing, or noise; what a finding is about is told there."""
    logs = report.view.logs
    told = {(finding.file, finding.line) for finding in report.findings}
    for log in logs:
        for event in log.events:
            known = event.signature
            if known is None or known.role is not role or event.start != log.starts:
                continue
            if (log.file, event.first.number) not in told:
                word = "noise" if role is LogRole.BENIGN else known.severity.value.replace("info", "note")
                where = place(log, event.first, many=len(logs) > 1)
                words = (f"{word}: {known.title} ({where}).", event.told, known.fix if role is LogRole.NOTE else "")
                yield " ".join(filter(None, words))


def _who(log: ReadLog) -> str:
    return f"{log.node}: " if log.node else ""


def _quoted(line: LogLine, indent: str = _INDENT) -> str:
    text = printable(line.text)
    cut = text if len(text) <= _MOST_TEXT else f"{text[:_MOST_TEXT]} ..."
    return f"{indent}{line.number:>6} | {cut}"


def _wrapped(text: str, width: int, indent: str = "") -> str:
    return "\n".join(fold(one_line(text), width, indent=indent, hang=f"{indent}  " if indent else ""))
