"""Answers as guards of an experiment: judged per arm over all blocks, beside the verdict, and never part of speed.

They are no guard of ``experiment/guards``: one of those ends a load while it runs, and one wrong answer of a visit is
no reason to. What a setting did to answers is only known from the same questions in both arms, and those are asked
when the trials of a visit are over.
"""

__all__ = ["ANSWERS", "quality_guards"]

from collections.abc import Mapping

from sparktune.experiment.answers import (
    AnswersResult,
    Identical,
    canary_answers,
    identical_answers,
    tool_answers,
)
from sparktune.experiment.blocks import Pair
from sparktune.experiment.design import Arm
from sparktune.experiment.paired_counts import loss_p
from sparktune.experiment.result import GuardResult, GuardStatus
from sparktune.model.quality import QualityPlan
from sparktune.units import Ratio, format_percent

_TOOL_CALLS, _CANARY = "tool_calls", "canary"
ANSWERS = frozenset({_TOOL_CALLS, _CANARY})
"""Names of guards that are no metric of a trial."""
_ALPHA = 0.05  # one question, on one side
_HALF = 0.5


def quality_guards(plan: QualityPlan | None, blocks: Mapping[int, Pair]) -> tuple[GuardResult, ...]:
    """Return a guard for each of battery and canary that was asked.

    WORSE: more questions were lost than gained, by more than chance (McNemar, exact, on one side, 5 %). OK: the share
    of what arm A had right, and arm B lost, is shown to lie below the margin. Else nothing is shown.
    """
    if plan is None:
        return ()
    arms = [[one for pair in blocks.values() if (one := pair[arm].record.quality) is not None] for arm in Arm]
    found = []
    if plan.tools:
        found.append(_guard(_TOOL_CALLS, plan.margin, tool_answers(*arms), "right"))
    if plan.canary:
        guard = canary_answers(*arms)
        found.append(_guard(_CANARY, plan.margin, guard, "not garbled", _identical(identical_answers(*arms))))
    return tuple(found)


def _guard(metric: str, margin: Ratio, answers: AnswersResult, what: str, besides: str = "") -> GuardResult:
    counts = answers.counts
    most, chance = counts.most_lost(_ALPHA), loss_p(len(counts.lost), len(counts.gained))
    status = GuardStatus.UNPROVEN
    if counts.lost and chance <= _ALPHA:
        status = GuardStatus.HARMED
    elif most is not None and most < margin:
        status = GuardStatus.OK
    why = answers.why or _words(answers, what, most, chance)
    return GuardResult(metric=metric, margin=margin, status=status, effect=None, why=f"{why}{besides}")


def _words(answers: AnswersResult, what: str, most: Ratio | None, chance: float) -> str:
    counts = answers.counts
    told = f"A {_right(answers.first)}, B {_right(answers.second)} {what}"
    if most is None:
        return f"{told}: of nothing that A had right, nothing can be lost"
    lost = f"; B lost {len(counts.lost)} ({', '.join(counts.lost[:3])})" if counts.lost else "; B lost none"
    gained = f" and gained {len(counts.gained)}, p {chance:.2g}" if counts.lost else ""
    return f"{told}{lost}{gained}; at most {format_percent(most)} are lost"


def _right(shares: Mapping[str, Ratio]) -> str:
    return f"{sum(share > _HALF for share in shares.values())}/{len(shares)}"


def _identical(found: Identical) -> str:
    words = [
        f"{format_percent(share)} {where}"
        for where, share in (("within A", found.first), ("within B", found.second), ("between", found.between))
        if share is not None
    ]
    return f"; identical: {', '.join(words)}; no proof of quality" if words else ""
