"""Findings of ``lint`` for a terminal: the verdict, then by file and line, then what can be done."""

__all__ = ["lint_text"]

from collections import Counter
from collections.abc import Iterator

from sparktune.model.finding import Severity
from sparktune.model.lint import LintFinding, LintView
from sparktune.report.bench.words import printable
from sparktune.report.layout import fold
from sparktune.report.lint.lines import Lines
from sparktune.report.lint.whys import whys
from sparktune.units import count_of

_INDENT = " " * 9
_COLOURS = {Severity.ERROR: "31;1", Severity.WARNING: "33;1", Severity.INFO: "36"}
_WORDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def lint_text(
    view: LintView, findings: tuple[LintFinding, ...], *, width: int = 100, color: bool = False, fixed: bool = False
) -> str:
    """Return the report. ``fixed``: the safe fixes were made, so that nothing is said of them."""
    reasons = whys()
    blocks = [_verdict(view, findings, width)]
    lines = {document.name: Lines(document) for document in view.documents}
    told: set[str] = set()
    for finding in findings:
        why = "" if finding.rule in told else reasons.get(finding.rule, "")
        told.add(finding.rule)
        blocks.append("\n".join(_told(lines.get(finding.file), finding, why, width, color=color)))
    safe = sum(one.fix is not None for one in findings)
    if safe and not fixed:
        what = "one of these is" if safe == 1 else f"{safe} of these are"
        blocks.append(f"{what} safe to fix: --diff shows the edits, --fix makes them")
    return "\n\n".join(blocks) + "\n"


def _verdict(view: LintView, findings: tuple[LintFinding, ...], width: int) -> str:
    counts = Counter(one.severity for one in findings)
    found = [count_of(counts[severity], _WORDS[severity]) for severity in Severity if counts[severity]]
    where = f"in {count_of(len(view.documents), 'file')}"
    asked = f", with {count_of(len(view.nodes), 'node')}" if view.nodes else ""
    engines = sorted({part.engine for part in view.parts if part.engine})
    looked = f" ({', '.join(engines)})" if engines else ""
    verdict = f"{', '.join(found)} {where}" if found else f"nothing found {where}"
    return _wrapped(f"{verdict}{looked}{asked}", width, "")


def _told(lines: Lines | None, finding: LintFinding, why: str, width: int, *, color: bool) -> Iterator[str]:
    word = _WORDS[finding.severity].upper()
    shown = f"\x1b[{_COLOURS[finding.severity]}m{word}\x1b[0m" if color else word
    place = f"{finding.file}:{finding.line}" if finding.line else finding.file
    node = f"  on {finding.node}" if finding.node else ""
    head = printable(f"{place}  {finding.rule}{node}")
    yield f"{shown}{' ' * (len(_INDENT) - len(word))}{head}"
    row = lines.shown(finding.line or 0) if lines is not None else ""
    if row.strip():
        yield f"{_INDENT}| {printable(row.strip())[: max(20, width - len(_INDENT) - 2)]}"
    yield _wrapped(finding.evidence, width, _INDENT, first=_INDENT)
    if why:
        yield _wrapped(f"why: {why}", width, _INDENT, first=_INDENT)
    yield _wrapped(f"fix: {finding.hint}", width, _INDENT, first=_INDENT)


def _wrapped(text: str, width: int, indent: str, *, first: str = "") -> str:
    return "\n".join(fold(printable(text), width, indent=first, hang=indent))
