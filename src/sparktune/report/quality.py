"""What a server answered to the battery and the canary: for people, and as JSON. Pure."""

__all__ = ["quality_json", "quality_text"]

import json
from collections.abc import Iterator

from sparktune.bench.quality.battery import BATTERY
from sparktune.bench.quality.proportion import Interval
from sparktune.bench.quality.score import QualityScore
from sparktune.model.engine import JsonValue
from sparktune.model.quality import CanaryAnswer, ItemState
from sparktune.report.bench.words import engine_words, one_line, printable
from sparktune.units import count_of, format_duration, format_percent

_SCHEMA = 1
_TESTS = {item.id: item.tests for item in BATTERY}
_MOST_WIDTH = 140
_SHOWN = 6
_LIMITS = (
    "A canary finds what is broken coarsely, and what changed. It does not prove quality: a whole answer may be wrong."
)


def quality_text(score: QualityScore) -> str:
    """Render the score; the first line is the one that matters."""
    return "".join(f"{line}\n" for line in _lines(score))


def quality_json(score: QualityScore) -> str:
    """Render the score and every answer."""
    record = {
        "schema": _SCHEMA,
        "base_url": score.base_url,
        "model": score.model,
        "engine": {"name": score.engine.name, "version": score.engine.version},
        "tools": {
            "right": _interval(score.right),
            "calls": _interval(score.calls),
            "restraint": _interval(score.restraint),
            "why": _tools_why(score),
            "items": [
                {"id": item.id, "tests": _TESTS.get(item.id, ""), "state": item.state.value, "why": item.why}
                for item in score.items
            ],
        },
        "canary": {
            "whole": _interval(score.whole),
            "identical_share": score.identical,
            "why": _canary_why(score),
            "askings": [[_answer(answer) for answer in asked] for asked in score.canary],
        },
        "took_s": score.took_s,
    }
    return json.dumps(record, indent=2, allow_nan=False) + "\n"


def _lines(score: QualityScore) -> Iterator[str]:
    if score.items:
        yield from _tools(score)
    if score.canary:
        yield from _canary(score)
    took = f", {format_duration(score.took_s)}" if score.took_s is not None else ""
    yield f"{one_line(score.model)} on {engine_words(score.engine)}, {one_line(score.base_url)}{took}"


def _tools(score: QualityScore) -> Iterator[str]:
    if score.right is None:
        yield f"tool calls: UNKNOWN: {one_line(_tools_why(score))}"
        if score.unknown:
            return
    else:
        yield f"tool calls: {_proves(score.right)}"
        parts = (("where a call is right", score.calls), ("where none is", score.restraint))
        yield from (f"  {where}: {_count(part)}" for where, part in parts if part is not None)
    width = max(len(item.id) for item in score.items)
    for item in score.items:
        line = f"  {item.state.value:<7}  {item.id:<{width}}  {_TESTS.get(item.id, '')}"
        yield _shortened(line if item.state is ItemState.PASS else f"{line}: {one_line(item.why)}")


def _canary(score: QualityScore) -> Iterator[str]:
    if score.whole is None:
        yield f"canary: UNKNOWN: {one_line(_canary_why(score))}"
        return
    yield f"canary: not garbled {_count(score.whole)}; {_identical(score)}"
    found = _broken(score)
    yield from (_shortened(f"  {name}: {one_line(said)}") for name, said in list(found.items())[:_SHOWN])
    if len(found) > _SHOWN:
        yield f"  and {len(found) - _SHOWN} more; --json has every answer"
    yield f"  {_LIMITS}"


def _broken(score: QualityScore) -> dict[str, str]:
    """Return what is wrong with the first answer of each prompt that has one that looks broken, or is missing."""
    found: dict[str, str] = {}
    for answer in (answer for asked in score.canary for answer in asked):
        if answer.garbled:
            found.setdefault(answer.id, f"garbled, {answer.garbled}: {answer.text!r}")
        elif answer.text is None:
            found.setdefault(answer.id, f"unknown, {answer.why}")
    return found


def _identical(score: QualityScore) -> str:
    if score.identical is None:
        return "whether answers repeat is unknown, no prompt was answered twice"
    asked = count_of(len(score.canary), "asking")
    return f"answers of {asked} are the same letter by letter in {format_percent(score.identical)}"


def _proves(found: Interval) -> str:
    low, high = format_percent(found.low), format_percent(found.high)
    proves = f"{low} or more" if found.count else f"{high} or less"
    ends = f"{format_percent(found.confidence)} interval {low} to {high}"
    return f"{found.count}/{found.total} right, which proves {proves} ({ends})"


def _count(found: Interval) -> str:
    return f"{found.count}/{found.total} [{format_percent(found.low)}, {format_percent(found.high)}]"


def _interval(found: Interval | None) -> JsonValue:
    if found is None:
        return None
    return {
        "count": found.count,
        "total": found.total,
        "low": found.low,
        "high": found.high,
        "confidence": found.confidence,
    }


def _tools_why(score: QualityScore) -> str:
    if not score.items:
        return "not asked"
    return score.unknown or next((item.why for item in score.items if item.state is ItemState.UNKNOWN), "")


def _canary_why(score: QualityScore) -> str:
    if not score.canary:
        return "not asked"
    return next((answer.why for asked in score.canary for answer in asked if answer.why), "")


def _answer(answer: CanaryAnswer) -> JsonValue:
    return {"id": answer.id, "text": answer.text, "garbled": answer.garbled, "why": answer.why}


def _shortened(line: str) -> str:
    line = printable(line)
    return line if len(line) <= _MOST_WIDTH else f"{line[: _MOST_WIDTH - 1]}…"
