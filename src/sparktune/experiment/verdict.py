"""From log ratios of blocks to a verdict, at the looks that were declared and nowhere else."""

__all__ = ["Judgement", "Verdict", "judge"]

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from sparktune.experiment.effect import Effect, effect_of
from sparktune.experiment.rules import ANECDOTE_BELOW, Rules


class Verdict(Enum):
    """What an experiment concludes about its second arm. INVALID and STOPPED override what the numbers say.

    DIFFERENT is the other answer of an experiment that asks for equivalence alone: the arms differ by the margin or
    more, whichever way.
    """

    IMPROVED = "IMPROVED"
    REGRESSED = "REGRESSED"
    EQUIVALENT = "EQUIVALENT"
    DIFFERENT = "DIFFERENT"
    INCONCLUSIVE = "INCONCLUSIVE"
    INVALID = "INVALID"
    STOPPED = "STOPPED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """``verdict`` None: more blocks are needed for one. ``effect`` None below two blocks.

    ``anecdote``: fewer than three blocks, which prove nothing. ``below_margin``: there is an effect, but it is smaller
    than the one that was said to be worth having. ``fragile``: the verdict rests on one block, without which the others
    would not show it, or show less than the margin.
    """

    verdict: Verdict | None
    effect: Effect | None
    anecdote: bool = False
    below_margin: bool = False
    fragile: bool = False


def judge(ratios: Sequence[float], rules: Rules) -> Judgement:
    """Judge the log ratios of all blocks so far; between looks the interval is shown, but nothing is concluded.

    The interval has the confidence of the look that is due, between looks that of the next one, so that interval and
    verdict always agree.
    """
    if len(ratios) < ANECDOTE_BELOW:
        effect = effect_of(ratios, alpha=rules.looks[0].alpha, floor=rules.floor) if len(ratios) > 1 else None
        return Judgement(verdict=None, effect=effect, anecdote=True)
    due = rules.look_after(len(ratios))
    coming = next((look for look in rules.looks if look.blocks >= len(ratios)), rules.last)
    effect = effect_of(ratios, alpha=coming.alpha, floor=rules.floor)
    if due is None and len(ratios) < rules.last.blocks:
        return Judgement(verdict=None, effect=effect)
    verdict = _concluded(effect, rules)
    if verdict is None and len(ratios) >= rules.last.blocks:
        verdict = Verdict.INCONCLUSIVE
    decided = verdict if verdict in {Verdict.IMPROVED, Verdict.REGRESSED, Verdict.DIFFERENT} else None
    return Judgement(
        verdict=verdict,
        effect=effect,
        below_margin=not decided and not rules.only_equivalence and (effect.low > 1 or effect.high < 1),
        fragile=decided is not None and _rests_on_one(ratios, decided, rules),
    )


def _concluded(effect: Effect, rules: Rules) -> Verdict | None:
    least, most = 1 / (1 + rules.equivalence), 1 + rules.equivalence
    if rules.only_equivalence and (effect.low >= most or effect.high <= least):
        return Verdict.DIFFERENT
    within = Verdict.EQUIVALENT if effect.low > least and effect.high < most else None
    return within if rules.only_equivalence else _better(effect, rules) or within


def _better(effect: Effect, rules: Rules) -> Verdict | None:
    if effect.low > 1 and effect.ratio >= 1 + rules.margin:
        return Verdict.IMPROVED
    if effect.high < 1 and effect.ratio <= 1 / (1 + rules.margin):
        return Verdict.REGRESSED
    return None


def _rests_on_one(ratios: Sequence[float], verdict: Verdict, rules: Rules) -> bool:
    """Tell whether the blocks without some one of them would not show it, at the error rate of all looks together.

    Of two blocks that are left of three only the mean is asked: their interval would be wide whatever they are.
    """
    for place in range(len(ratios)):
        effect = effect_of([*ratios[:place], *ratios[place + 1 :]], alpha=rules.alpha, floor=rules.floor)
        middle = replace(effect, low=effect.ratio, high=effect.ratio)
        if _concluded(effect if effect.blocks >= ANECDOTE_BELOW else middle, rules) is not verdict:
            return True
    return False
