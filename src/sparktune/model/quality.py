"""What a server answered to questions with known right answers, and to questions that are asked to be compared."""

__all__ = ["CanaryAnswer", "ItemResult", "ItemState", "Quality", "QualityPlan"]

from dataclasses import dataclass
from enum import Enum

from sparktune.units import Ratio, Seconds, Tokens


class ItemState(Enum):
    """UNKNOWN: there was no answer that could be judged, and that is not a wrong answer."""

    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemResult:
    """One question of the tool-call battery. ``calls``: whether a call was wanted. ``why`` explains all but PASS."""

    id: str
    state: ItemState
    calls: bool = True
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryAnswer:
    """What a fixed prompt was answered, greedily. ``text`` None: no answer, for the reason in ``why``.

    ``garbled`` says what looks broken in it, "" when nothing does.
    """

    id: str
    text: str | None
    garbled: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """Everything that was answered, in the order of the questions. ``items`` is empty when no tools were asked for.

    ``unknown`` is why nothing of the battery can be judged, in the server's words, "" where something can.
    """

    items: tuple[ItemResult, ...] = ()
    canary: tuple[CanaryAnswer, ...] = ()
    unknown: str = ""
    took_s: Seconds | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityPlan:
    """What is asked: the ``tools`` battery, the ``canary``, or both.

    ``every`` is ``visit``, or ``arm`` for its first visit alone. ``margin`` is the share of what arm A did right that
    arm B may lose. ``answer_tokens`` limits an answer of the battery, ``answer_s`` the time of any, ``limit_s`` that of
    all together: what is not asked by then stays unknown.
    """

    tools: bool = True
    canary: bool = True
    every: str = "visit"
    margin: Ratio = 0.15
    answer_tokens: Tokens = 1024
    answer_s: Seconds = 60.0
    limit_s: Seconds = 300.0
