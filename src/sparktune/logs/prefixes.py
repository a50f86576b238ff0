"""What stands in front of a message, taken off layer by layer, in whatever order it stands there.

Docker's JSON, names of compose, stamps, journald's host and program, ranks of torchrun, the engine's own prefix.

Sources: vLLM 0.8 to 0.33 (vllm/logging_utils/formatter.py, ``decorate_logs``, VLLM_LOGGING_PREFIX), SGLang 0.5.23,
llama.cpp b11434 (common/log.cpp), NCCL 2.27 (src/debug.cc), glog in PyTorch 2.x, uvicorn, docs.docker.com (json-file,
``compose logs``), journalctl(1).
"""

__all__ = ["peel"]

import re
from collections.abc import Callable
from dataclasses import dataclass

from sparktune.logs.json_lines import json_of
from sparktune.logs.levels import LEVELS
from sparktune.logs.line import LONGEST, Line, visible
from sparktune.logs.written import GLOG_DAY, ISO, SYSLOG_DAY, VLLM_DAY, stamp_in

_PREFIX_WITHIN = 200  # characters in which what VLLM_LOGGING_PREFIX put in front may end


class _Next:
    """What comes after a layer: another one, the message itself, or it was none."""

    LAYER, MESSAGE, NOTHING = range(3)


@dataclass(frozen=True, slots=True)
class _Step:
    pattern: re.Pattern[str]
    take: Callable[[Line, re.Match[str]], int]


def peel(line: Line) -> bool:
    """Take one layer off; return whether there may be another one."""
    text = line.text
    for step in _STEPS.get(text[:1], _LETTER_STEPS):
        found = step.pattern.match(text)
        if found is None:
            continue
        line.text = text[found.end() :]
        after = step.take(line, found)
        if after != _Next.NOTHING:
            return after == _Next.LAYER
        line.text = text
    if " [" in text and not line.level:
        _named_prefix(line)
    return False


def _named_prefix(line: Line) -> None:
    found = _VLLM_WHOLE.search(line.text, 0, _PREFIX_WITHIN)
    if found is not None:
        line.text = line.text[found.end() :]
        _vllm(line, found)


def _json(line: Line, found: re.Match[str]) -> int:
    member = json_of(found.string)
    if member is None:
        return _Next.NOTHING
    line.text = visible(member.text).rstrip()[:LONGEST]
    line.level = line.level or LEVELS.get(member.level.upper(), "")
    line.process = line.process or member.process
    line.place = f"{member.level} {member.time}" if member.level else ""
    stamp = stamp_in(member.time)
    if stamp is not None:
        line.set_stamp(stamp)
    return _Next.LAYER


def _iso(line: Line, found: re.Match[str]) -> int:
    stamp = stamp_in(found[1])
    if stamp is not None:
        line.set_stamp(stamp)
    if _journal(line) == _Next.LAYER:
        return _Next.LAYER
    python = _PYTHON.match(line.text)
    if python is None or _VLLM_WHOLE.match(line.text):
        return _Next.LAYER
    line.level = LEVELS[python[1]]
    line.place = found[0] + python[0]
    line.text = line.text[python.end() :]
    return _Next.MESSAGE


def _syslog(line: Line, found: re.Match[str]) -> int:
    stamp = stamp_in(found[1])
    if stamp is None:
        return _Next.NOTHING
    line.set_stamp(stamp)
    return _journal(line)


def _journal(line: Line) -> int:
    found = _JOURNAL.match(line.text)
    if found is None:
        return _Next.NOTHING
    line.source = line.source or found[1]
    line.text = line.text[found.end() :]
    return _Next.LAYER


def _compose(line: Line, found: re.Match[str]) -> int:
    line.source = found[1].rstrip()
    return _Next.LAYER


def _process(line: Line, found: re.Match[str]) -> int:
    line.process = found[1]
    return _Next.LAYER


def _vllm(line: Line, found: re.Match[str]) -> int:
    line.level = LEVELS[found[1]]
    line.place = found[0].rstrip()
    if found[2] is not None:
        stamp = stamp_in(found[2])
        if stamp is not None:
            line.set_stamp(stamp)
    return _Next.MESSAGE


def _sglang(line: Line, found: re.Match[str]) -> int:
    stamp = stamp_in(found[1])
    if stamp is not None:
        line.set_stamp(stamp)
    line.process = (found[2] or "").strip() or line.process
    return _Next.LAYER


def _glog(line: Line, found: re.Match[str]) -> int:
    line.process = found[1] or line.process
    line.level = {"I": "info", "W": "warning", "E": "error", "F": "error"}[found[2]]
    stamp = stamp_in(found[3])
    if stamp is not None:
        line.set_stamp(stamp)
    return _Next.MESSAGE


def _llama(line: Line, found: re.Match[str]) -> int:
    line.level = {"I": "info", "W": "warning", "E": "error", "D": "debug", "T": "debug"}[found[1]]
    return _Next.MESSAGE


def _plain_level(line: Line, found: re.Match[str]) -> int:
    line.level = line.level or LEVELS[found[1]]
    return _Next.MESSAGE


def _nccl(_: Line, __: re.Match[str]) -> int:
    return _Next.MESSAGE


_LEVEL = "|".join(LEVELS)
# "ERROR RuntimeError: ", "fatal error: " and "Error loading: " are no host and program, though they look like them.
_LOUD = rf"(?i:{_LEVEL}|panic|(?:[\w.]*\.)?\w*(?:error|exception|interrupt))"
_JOURNAL = re.compile(rf"(?!{_LOUD}[: ])[\w.:-]+ (?!{_LOUD}(?:\[\d+\])?: ?)([\w@.:/()-]+)(?:\[\d+\])?: ?", re.ASCII)
_PYTHON = re.compile(rf"(?:- )?(?:[\w.]+ - )?({_LEVEL})(?: -(?: [\w.]+:\d+ -)?|:)? ", re.ASCII)
_VLLM_LEVEL = r"(DEBUG|INFO|WARNING|ERROR|CRITICAL)"
_VLLM_FILE = r" \[[\w./-]+(?::\d+)?\](?: |$)"
_VLLM_WHOLE = re.compile(rf"{_VLLM_LEVEL} ({VLLM_DAY}){_VLLM_FILE}", re.ASCII)

_JSON_STEPS = (_Step(re.compile(r"\{(?=.*\}$)", re.DOTALL), _json),)
_PROCESS_STEPS = (_Step(re.compile(r"\(([\w.+-]+(?: [\w.+-]+)?) pid=\d+(?:, ip=[^)\s]+)?\) ?", re.ASCII), _process),)
_BRACKET_STEPS = (
    _Step(re.compile(rf"\[({ISO})((?: [A-Z]+\d+)*)\] ?", re.ASCII), _sglang),
    _Step(re.compile(rf"(?:\[(rank\d+)\]:)?\[([IWEF])({GLOG_DAY}) [\w.]+:\d+\] ?", re.ASCII), _glog),
    _Step(re.compile(r"\[(rank\d+)\]:? ?", re.ASCII), _process),
)
_LETTER_STEPS = (
    _Step(re.compile(rf"{_VLLM_LEVEL}(?: ({VLLM_DAY}))?{_VLLM_FILE}", re.ASCII), _vllm),
    _Step(re.compile(rf"({_LEVEL})(?::[\w.]*:|:? +)(?=\S)", re.ASCII), _plain_level),
    _Step(re.compile(r"([A-Za-z0-9][\w.-]*(?:[-_]\d+ +| {2,}))\| ?", re.ASCII), _compose),
    _Step(re.compile(rf"({SYSLOG_DAY}) ", re.ASCII), _syslog),
    _Step(re.compile(r"(?:[\w.-]+:\d+:\d+ \[\d+\] )?(?:[\w./]+:\d+ )?(?=NCCL )", re.ASCII), _nccl),
)
_DIGIT_STEPS = (
    _Step(re.compile(rf"({ISO})(?: |$)", re.ASCII), _iso),
    _Step(re.compile(r"\d+\.\d\d\.\d{3}\.\d{3} ([IWEDT])(?: |$)", re.ASCII), _llama),
    *_LETTER_STEPS,
)
_STEPS = {"{": _JSON_STEPS, "(": _PROCESS_STEPS, "[": _BRACKET_STEPS, **dict.fromkeys("0123456789", _DIGIT_STEPS)}
