"""What the visits of two arms answered to the battery and to the canary, counted by question."""

__all__ = ["AnswersResult", "Identical", "canary_answers", "identical_answers", "tool_answers"]

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from sparktune.bench.quality.score import identical_share
from sparktune.experiment.paired_counts import PairedCounts, paired_counts
from sparktune.model.quality import ItemState, Quality
from sparktune.units import Ratio

_Right = Callable[[Quality], Mapping[str, bool]]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersResult:
    """``first`` and ``second`` are how often each arm was right, by question, as a share of its visits.

    ``why`` is why an arm has nothing that could be judged, "" when both have something.
    """

    first: Mapping[str, Ratio]
    second: Mapping[str, Ratio]
    counts: PairedCounts
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identical:
    """Shares of pairs of answers to one prompt that are the same, letter by letter; None where there is no pair.

    ``first`` and ``second`` compare visits of one arm, ``between`` a visit of one with a visit of the other.
    """

    first: Ratio | None
    second: Ratio | None
    between: Ratio | None


def tool_answers(first: Sequence[Quality], second: Sequence[Quality]) -> AnswersResult:
    """Count the battery over the visits of both arms."""
    return _counted(first, second, _right_items, _tools_why)


def canary_answers(first: Sequence[Quality], second: Sequence[Quality]) -> AnswersResult:
    """Count answers of the canary that do not look broken."""
    return _counted(first, second, _whole_texts, _canary_why)


def identical_answers(first: Sequence[Quality], second: Sequence[Quality]) -> Identical:
    """Compare the canary's answers within each arm and between them."""
    return Identical(
        first=identical_share(combinations(first, 2)),
        second=identical_share(combinations(second, 2)),
        between=identical_share(product(first, second)),
    )


def _counted(
    first: Sequence[Quality], second: Sequence[Quality], right: _Right, why: Callable[[Quality], str]
) -> AnswersResult:
    shares = [_shares([right(one) for one in visits]) for visits in (first, second)]
    reasons = [
        f"arm {arm}: {next(filter(None, map(why, visits)), 'nothing was asked')}"
        for arm, visits, known in zip("AB", (first, second), shares, strict=True)
        if not known
    ]
    return AnswersResult(
        first=shares[0], second=shares[1], counts=paired_counts(shares[0], shares[1]), why="; ".join(reasons)
    )


def _shares(visits: Sequence[Mapping[str, bool]]) -> dict[str, Ratio]:
    names = dict.fromkeys(name for visit in visits for name in visit)
    known = {name: [visit[name] for visit in visits if name in visit] for name in names}
    return {name: sum(values) / len(values) for name, values in known.items()}


def _right_items(quality: Quality) -> dict[str, bool]:
    return {item.id: item.state is ItemState.PASS for item in quality.items if item.state is not ItemState.UNKNOWN}


def _whole_texts(quality: Quality) -> dict[str, bool]:
    return {one.id: not one.garbled for one in quality.canary if one.text is not None}


def _tools_why(quality: Quality) -> str:
    return quality.unknown or next((item.why for item in quality.items if item.why), "")


def _canary_why(quality: Quality) -> str:
    return next((one.why for one in quality.canary if one.why), "")
