"""File names as a terminal shows them: the last part of a path, where no other log has the same."""

__all__ = ["shorter"]

from collections import Counter
from dataclasses import replace

from sparktune.model.log import LogReport, ReadLog


def shorter(report: LogReport) -> LogReport:
    """Return the report with short names of files."""
    count = Counter(_last(log.file) for log in report.view.logs)

    def short(file: str) -> str:
        return _last(file) if count[_last(file)] == 1 else file

    def worded(text: str) -> str:
        for log in report.view.logs:
            text = text.replace(log.file, short(log.file))
        return text

    def named(log: ReadLog) -> ReadLog:
        return replace(log, file=short(log.file))

    return replace(
        report,
        view=replace(report.view, logs=tuple(map(named, report.view.logs))),
        first=None
        if report.first is None
        else replace(report.first, log=named(report.first.log), why=worded(report.first.why)),
        trend=tuple(map(worded, report.trend)),
        later=tuple((named(log), event) for log, event in report.later),
        findings=tuple(
            replace(
                one, file=short(one.file) if one.file else None, evidence=worded(one.evidence), hint=worded(one.hint)
            )
            for one in report.findings
        ),
    )


def _last(file: str) -> str:
    return file.rpartition("/")[2]
