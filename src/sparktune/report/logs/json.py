"""What logs tell as JSON, schema 1."""

__all__ = ["logs_json"]

import json
from collections.abc import Sequence
from typing import Any

from sparktune.logs.rules import all_rules
from sparktune.model.finding import Finding
from sparktune.model.log import LogEvent, LogFact, LogLine, LogReport, ReadLog
from sparktune.report.bench.words import finite
from sparktune.report.finding_json import finding_members


def logs_json(report: LogReport, missing: Sequence[str] = (), notes: Sequence[str] = ()) -> str:
    """Return one object: the first failure, the later ones, findings, and each log with facts and events."""
    rules = {rule.id: rule for rule in all_rules()}
    first = report.first
    document = {
        "schema": 1,
        "first": None
        if first is None
        else {**_event(first.log, first.event), "sure": first.sure, "order_why": first.why},
        "later": [_event(log, event) for log, event in report.later],
        "trend": list(report.trend),
        "findings": [
            _finding(one, rules[one.rule].why if one.rule in rules else "", _source(rules, one))
            for one in report.findings
        ],
        "nodes": [
            {"node": node, "clock_ahead_s": report.view.ahead_s.get(node)}
            for node in dict.fromkeys(log.node for log in report.view.logs)
        ],
        "logs": [_log(log) for log in report.view.logs],
        "missing": list(missing),
        "notes": list(notes),
    }
    return json.dumps(document, indent=2, ensure_ascii=False, default=dict) + "\n"


def _source(rules: dict[str, Any], finding: Finding) -> str:
    return rules[finding.rule].source if finding.rule in rules else ""


def _finding(finding: Finding, why: str, source: str) -> dict[str, Any]:
    return {
        **finding_members(finding),
        "why": why,
        "source": source,
    }


def _log(log: ReadLog) -> dict[str, Any]:
    return {
        "file": log.file,
        "node": log.node or None,
        "engine": log.engine or None,
        "version": log.version or None,
        "lines": log.lines,
        "starts": log.starts,
        "first_s": log.first_s,
        "last_s": log.last_s,
        "unreadable": log.unreadable or None,
        "facts": [_fact(one) for one in log.facts],
        "asked": {one.key: one.value for one in log.asked},
        "resolved": {one.key: one.value for one in log.resolved},
        "events": [_event(log, one) for one in log.events],
        "more_events": log.more_events,
        "more_facts": log.more_facts,
    }


def _fact(fact: LogFact) -> dict[str, Any]:
    return {
        "key": fact.key,
        "value": finite(fact.value) if isinstance(fact.value, float) else fact.value,
        "unit": fact.unit or None,
        "line": fact.line.number,
    }


def _event(log: ReadLog, event: LogEvent) -> dict[str, Any]:
    known = event.signature
    return {
        "file": log.file,
        "node": log.node or None,
        "id": known.id if known is not None else None,
        "title": known.title if known is not None else None,
        "role": known.role.value if known is not None else "unknown",
        "severity": known.severity.value if known is not None else "error",
        "cause": known.cause if known is not None else None,
        "fix": known.fix if known is not None else None,
        "source": known.source if known is not None else None,
        "told": event.told or None,
        "count": event.count,
        "start": event.start,
        "first": _line(event.first),
        "last": _line(event.last),
        "around": [_line(one) for one in event.around],
    }


def _line(line: LogLine) -> dict[str, Any]:
    return {"line": line.number, "time_s": line.time_s, "process": line.process or None, "text": line.text}
