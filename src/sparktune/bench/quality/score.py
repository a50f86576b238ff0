"""The score of one server: counts with what they prove, and how alike its answers to the same prompt are."""

__all__ = ["QualityScore", "identical_share", "scored"]

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from sparktune.bench.quality.proportion import Interval, exact_interval
from sparktune.model.engine import EngineFacts
from sparktune.model.quality import CanaryAnswer, ItemResult, ItemState, Quality
from sparktune.units import Ratio, Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityScore:
    """``right`` counts the questions of the battery that could be judged; None where none could.

    ``calls`` counts those of them that want a call, ``restraint`` those that want none. ``whole`` counts prompts of the
    canary of which no answer looks broken. ``identical`` is the share of prompts that were answered alike when they
    were asked again, None when they were not.
    """

    base_url: str
    model: str
    engine: EngineFacts
    items: tuple[ItemResult, ...]
    canary: tuple[tuple[CanaryAnswer, ...], ...]
    right: Interval | None
    calls: Interval | None
    restraint: Interval | None
    whole: Interval | None
    identical: Ratio | None
    unknown: str = ""
    took_s: Seconds | None = None

    @property
    def open(self) -> bool:
        """Whether something that was asked could not be judged."""
        answers = [answer for asked in self.canary for answer in asked]
        judged = all(item.state is not ItemState.UNKNOWN for item in self.items)
        return not judged or any(answer.text is None for answer in answers)


def scored(asked: Sequence[Quality], *, base_url: str, model: str, engine: EngineFacts) -> QualityScore:
    """Return the score of a server that was asked at least once."""
    items = asked[0].items
    answers = [answer for one in asked for answer in one.canary if answer.text is not None]
    whole = {answer.id: all(not one.garbled for one in answers if one.id == answer.id) for answer in answers}
    return QualityScore(
        base_url=base_url,
        model=model,
        engine=engine,
        items=items,
        canary=tuple(one.canary for one in asked if one.canary),
        right=_passed(items),
        calls=_passed(item for item in items if item.calls),
        restraint=_passed(item for item in items if not item.calls),
        whole=exact_interval(sum(whole.values()), len(whole)) if whole else None,
        identical=identical_share(combinations(asked, 2)),
        unknown=asked[0].unknown,
        took_s=sum(one.took_s or 0.0 for one in asked),
    )


def identical_share(pairs: Iterable[tuple[Quality, Quality]]) -> Ratio | None:
    """Return the share of the canary's answers that are the same, letter by letter, over all pairs of askings.

    None where no prompt was answered in both of a pair.
    """
    found = [
        second[name] == text
        for pair in pairs
        for first, second in [tuple(map(_texts, pair))]
        for name, text in first.items()
        if name in second
    ]
    return sum(found) / len(found) if found else None


def _passed(items: Iterable[ItemResult]) -> Interval | None:
    known = [item.state is ItemState.PASS for item in items if item.state is not ItemState.UNKNOWN]
    return exact_interval(sum(known), len(known)) if known else None


def _texts(quality: Quality) -> dict[str, str]:
    return {one.id: one.text for one in quality.canary if one.text is not None}
