"""One raw line of a log taken apart: who wrote it, when, how loud, and what it says.

What stands in front of a message is peeled off layer by layer, whatever the order: Docker's JSON, names of compose,
stamps, journald's host and program, ranks of torchrun, the engine's own prefix.

Sources: vLLM 0.8 to 0.33 (vllm/logging_utils/formatter.py, ``decorate_logs``, VLLM_LOGGING_PREFIX), SGLang 0.5.23,
llama.cpp b11434 (common/log.cpp, ``--log-jsonl``), NCCL 2.27 (src/debug.cc), glog in PyTorch 2.x, uvicorn,
docs.docker.com (json-file, ``compose logs``), journalctl(1), tqdm.
"""

__all__ = ["LONGEST", "Line", "clean", "read_line", "read_lines", "states_of"]

import re
from dataclasses import dataclass, replace
from typing import Any

from sparktune.logs.json_lines import json_of
from sparktune.logs.levels import LEVELS, told_level
from sparktune.logs.stamps import Stamp

LONGEST = 20_000
"""Characters of a line that are read."""

_LAYERS = 8
_MOST_IN_ONE = 500  # lines of one message in JSON
_PREFIX_WITHIN = 200  # characters in which VLLM_LOGGING_PREFIX is looked for
_ESCAPES = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[ -/]*[0-~])")
_CONTROL = dict.fromkeys([*range(9), *range(11, 32), 127, 0xFEFF])
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_BAR = re.compile(r"\d+(?:\.\d+)?%\||\d+(?:\.\d+)?(?:it|s)/|\d+%")


@dataclass(slots=True)
class Line:
    """A line while it is read; ``text`` keeps the blanks that it begins with, which a traceback needs.

    ``source`` is the container that compose or the program that journald names; ``place`` the engine's own prefix with
    its stamp, equal for all lines of one message. ``stamp`` is the most certain one, ``written`` the engine's own.
    """

    text: str
    number: int
    level: str = ""
    process: str = ""
    source: str = ""
    place: str = ""
    stamp: Stamp | None = None
    written: Stamp | None = None


def clean(block: bytes) -> bytes:
    """Return whole lines without escape sequences and NULs."""
    if b"\x1b" in block:
        block = _ESCAPES.sub(b"", block)
    return block.replace(b"\0", b"") if b"\0" in block else block


def states_of(raw: bytes) -> list[bytes]:
    """Return what a line shows: of a progress bar that redraws itself only the last state, other texts each."""
    raw = raw.rstrip(b"\r")
    if b"\r" not in raw:
        return [raw]
    shown: list[bytes] = []
    for state in raw.split(b"\r"):
        if not state.strip():
            continue
        if shown and _bar_name(shown[-1]) == _bar_name(state):
            shown.pop()
        shown.append(state)
    return shown


def _bar_name(state: bytes) -> bytes:
    return re.split(rb"\d", state, maxsplit=1)[0].strip() if b"%" in state or b"it" in state else state


def read_lines(raw: bytes, number: int) -> list[Line]:
    """Take a line apart, one or several: a progress bar redraws itself, a message in JSON has line ends in it."""
    found: list[Line] = []
    for state in states_of(raw):
        line = read_line(state, number)
        texts = line.text.split("\n", _MOST_IN_ONE) if "\n" in line.text else [line.text]
        found += [replace(line, text=text) for text in texts] if len(texts) > 1 else [line]
    return found


def read_line(raw: bytes, number: int) -> Line:
    """Take one line apart; ``raw`` has no line end, and was cleaned. Raises nothing."""
    text = raw[: LONGEST * 4].decode("utf-8", "replace")[:LONGEST].rstrip()
    if not text.isprintable():
        text = text.translate(_CONTROL)
    line = Line(text=text, number=number)
    for _ in range(_LAYERS):
        if not any(_peeled(line, step) for step in _STEPS.get(line.text[:1], _LETTER_STEPS)):
            break
    _peel_named_prefix(line)
    if not line.level:
        line.level = told_level(line.text)
    return line


@dataclass(frozen=True, slots=True)
class _Step:
    pattern: re.Pattern[str]
    take: Any  # (Line, Match) -> None; may set line.text itself


def _peeled(line: Line, step: "_Step") -> bool:
    found = step.pattern.match(line.text)
    if found is None:
        return False
    before = line.text
    line.text = before[found.end() :]
    if step.take(line, found) is False:
        line.text = before
        return False
    return True


def _set_stamp(line: Line, stamp: Stamp) -> None:
    if stamp.local and line.written is None:
        line.written = stamp
    if line.stamp is None or (line.stamp.zone_s is None and stamp.zone_s is not None):
        line.stamp = stamp


def _json(line: Line, found: "re.Match[str]") -> bool:
    member = json_of(found.string)
    if member is None:
        return False
    line.text = member.text.rstrip()[:LONGEST]
    line.level = line.level or LEVELS.get(member.level.upper(), "")
    line.process = line.process or member.process
    iso = _ISO.match(member.time)
    day = _VLLM_TIME.fullmatch(member.time)
    if iso is not None:
        _iso(line, iso)
    elif day is not None:
        _vllm_stamp(line, day)
    return True


def _iso(line: Line, found: "re.Match[str]") -> None:
    year, month, day, hour, minute, second, part, zone = found.groups()
    _set_stamp(
        line,
        Stamp(
            year=int(year),
            month=int(month),
            day=int(day),
            hour=int(hour),
            minute=int(minute),
            second=float(f"{second}.{part or 0}"),
            zone_s=_zone_s(zone),
            local=zone is None,
        ),
    )


def _zone_s(zone: str | None) -> float | None:
    if zone is None or zone == "Z":
        return None if zone is None else 0.0
    seconds = int(zone[1:3]) * 3600.0 + int(zone[-2:]) * 60.0
    return -seconds if zone[0] == "-" else seconds


def _syslog(line: Line, found: "re.Match[str]") -> bool:
    if found[1] not in _MONTHS:
        return False
    month = _MONTHS.index(found[1]) + 1
    hour, minute, second = int(found[3]), int(found[4]), float(f"{found[5]}.{found[6] or 0}")
    _set_stamp(line, Stamp(month=month, day=int(found[2]), hour=hour, minute=minute, second=second))
    return _journal(line)


def _journal(line: Line) -> bool:
    found = _JOURNAL.match(line.text)
    if found is None:
        return False
    line.source = line.source or found[1]
    line.text = line.text[found.end() :]
    return True


def _after_iso(line: Line, found: "re.Match[str]") -> None:
    _iso(line, found)
    if _journal(line):
        return
    python = _PYTHON.match(line.text)
    if python is not None:
        line.level = LEVELS[python[1]]
        line.place = python.group()
        line.text = line.text[python.end() :]


def _compose(line: Line, found: "re.Match[str]") -> None:
    line.source = found[1].rstrip()


def _process(line: Line, found: "re.Match[str]") -> None:
    line.process = found[1]


def _vllm(line: Line, found: "re.Match[str]") -> None:
    line.level = LEVELS[found["level"]]
    line.place = found.group().rstrip()
    if found["month"] is not None:
        _vllm_stamp(line, found)


def _vllm_stamp(line: Line, found: "re.Match[str]") -> None:
    month, day, hour, minute, second = (int(found[name]) for name in ("month", "day", "hour", "minute", "second"))
    _set_stamp(line, Stamp(month=month, day=day, hour=hour, minute=minute, second=second, local=True))


def _peel_named_prefix(line: Line) -> None:
    """Take off what VLLM_LOGGING_PREFIX put before vLLM's own prefix."""
    if line.place or " [" not in line.text:
        return
    found = _VLLM_WHOLE.search(line.text, 0, _PREFIX_WITHIN)
    if found is not None:
        line.text = line.text[found.end() :]
        _vllm(line, found)


def _sglang(line: Line, found: "re.Match[str]") -> None:
    iso = _ISO.match(found[1])
    if iso is not None:
        _iso(line, iso)
    line.process = (found[2] or "").strip() or line.process


def _glog(line: Line, found: "re.Match[str]") -> None:
    line.process = found[1] or line.process
    line.level = {"I": "info", "W": "warning", "E": "error", "F": "error"}[found[2]]
    month, day, hour, minute, second = (int(found[at]) for at in range(3, 8))
    _set_stamp(line, Stamp(month=month, day=day, hour=hour, minute=minute, second=second, local=True))


def _llama(line: Line, found: "re.Match[str]") -> None:
    line.level = {"I": "info", "W": "warning", "E": "error", "D": "debug", "T": "debug"}.get(found[1], "")


def _plain_level(line: Line, found: "re.Match[str]") -> None:
    line.level = line.level or LEVELS[found[1]]


def _nothing(_: Line, __: "re.Match[str]") -> None:
    """Take off what tells nothing."""


_LEVEL = "|".join(LEVELS)
_ISO = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(Z|[+-]\d\d:?\d\d)?(?: |$)", re.ASCII
)
_JOURNAL = re.compile(r"[\w.:-]+ ([\w@.:/()-]+)(?:\[\d+\])?: ?", re.ASCII)
_PYTHON = re.compile(rf"(?:- )?(?:[\w.]+ - )?({_LEVEL})(?: -(?: [\w.]+:\d+ -)?|:)? ", re.ASCII)
_VLLM_STAMP = r" (?P<month>\d\d)-(?P<day>\d\d) (?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)(?:[.,]\d+)?"
_VLLM_LEVEL = r"(?P<level>DEBUG|INFO|WARNING|ERROR|CRITICAL)"
_VLLM_FILE = r" \[[\w./-]+(?::\d+)?\](?: |$)"
_VLLM_TIME = re.compile(_VLLM_STAMP[1:], re.ASCII)
_VLLM_WHOLE = re.compile(f"{_VLLM_LEVEL}{_VLLM_STAMP}{_VLLM_FILE}", re.ASCII)

_TO_JSON = _Step(re.compile(r"\{(?=.*\}$)", re.DOTALL), _json)
_TO_PROCESS = _Step(re.compile(r"\(([\w.+-]+(?: [\w.+-]+)?) pid=\d+(?:, ip=[^)\s]+)?\) ?", re.ASCII), _process)
_DIGIT_STEPS = (
    _Step(_ISO, _after_iso),
    _Step(re.compile(r"\d+\.\d\d\.\d{3}\.\d{3} ([IWEDT])(?: |$)", re.ASCII), _llama),
)
_BRACKET_STEPS = (
    _Step(re.compile(r"\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:[.,]\d+)?)((?: [A-Z]+\d+)*)\] ?", re.ASCII), _sglang),
    _Step(
        re.compile(
            r"(?:\[(rank\d+)\]:)?\[([IWEF])(\d\d)(\d\d) (\d\d):(\d\d):(\d\d)(?:\.\d+)? [\w.]+:\d+\] ?", re.ASCII
        ),
        _glog,
    ),
    _Step(re.compile(r"\[(rank\d+)\]:? ?", re.ASCII), _process),
)
_LETTER_STEPS = (
    _Step(re.compile(f"{_VLLM_LEVEL}(?:{_VLLM_STAMP})?{_VLLM_FILE}", re.ASCII), _vllm),
    _Step(re.compile(rf"({_LEVEL})(?::[\w.]*:|:? +)(?=\S)", re.ASCII), _plain_level),
    _Step(re.compile(r"([A-Za-z0-9][\w.-]*(?:[-_]\d+ +| {2,}))\| ?", re.ASCII), _compose),
    _Step(re.compile(r"([A-Z][a-z]{2}) +(\d{1,2}) (\d\d):(\d\d):(\d\d)(?:\.(\d+))? ", re.ASCII), _syslog),
    _Step(re.compile(r"[\w.-]+:\d+:\d+ \[\d+\] (?=(?:[\w./]+:\d+ )?NCCL )", re.ASCII), _nothing),
)
_STEPS = {
    "{": (_TO_JSON,),
    "(": (_TO_PROCESS,),
    "[": _BRACKET_STEPS,
    **dict.fromkeys("0123456789", (*_DIGIT_STEPS, *_LETTER_STEPS)),
}
