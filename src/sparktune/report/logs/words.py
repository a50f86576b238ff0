"""Places, times and counts of lines in words."""

__all__ = ["following", "place", "state_words", "title"]

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime

from sparktune.host.service.state import Judgement
from sparktune.model.log import LogEvent, LogLine, LogRole, ReadLog
from sparktune.units import count_of


def _clock(line: LogLine) -> str:
    """Return the time of day of a line by its node's own clock in UTC, "" where none is known."""
    if line.time_s is None:
        return ""
    try:
        return f"{datetime.fromtimestamp(line.time_s, UTC):%H:%M:%S}"
    except (OverflowError, OSError, ValueError):
        return ""


def place(log: ReadLog, line: LogLine, *, many: bool = True) -> str:
    """Return where a line stands: its file, its number, its time."""
    at = _clock(line)
    return ", ".join(filter(None, (log.file if many else "", f"line {line.number}", at)))


def title(event: LogEvent) -> str:
    """Return what an event is called."""
    return event.signature.title if event.signature is not None else "an error whose meaning is not known"


def following(later: Sequence[tuple[ReadLog, LogEvent]]) -> str:
    """Say how many lines only follow from the first failure, by what they are of; "" for none."""
    lines = [(log, event) for log, event in later if _follows(event)]
    if not lines:
        return ""
    kinds: Counter[str] = Counter()
    for _, event in lines:
        kinds[_kind(event)] += event.count
    total = kinds.total()
    verb = "follows" if total == 1 else "follow"
    if len(kinds) == 1:
        return f"{count_of(total, 'line')} of {next(iter(kinds))} {verb} from it"
    named = ", ".join(f"{count} of {kind}" for kind, count in kinds.most_common())
    return f"{count_of(total, 'line')} {verb} from it: {named}"


def state_words(judged: Judgement) -> tuple[str, ...]:
    """Say in which state the ranks are, and in which order they are brought back."""
    steps = f"to bring it back: {'; '.join(judged.order)}" if judged.order else ""
    return tuple(filter(None, (judged.says, steps, *judged.notes)))


def _follows(event: LogEvent) -> bool:
    return event.signature is not None and event.signature.role is LogRole.SECONDARY


def _kind(event: LogEvent) -> str:
    return "NCCL" if "NCCL" in event.first.text else "the engine"
