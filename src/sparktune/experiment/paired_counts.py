"""Two arms on the same questions: what one did right and the other did not, and what that proves.

Source: McNemar, Note on the sampling error of the difference between correlated proportions, Psychometrika 12 (1947),
in its exact form: of the questions on which the arms differ, each is as likely to be lost as gained when nothing
changed.
"""

__all__ = ["PairedCounts", "loss_p", "paired_counts"]

from collections.abc import Mapping
from dataclasses import dataclass

from sparktune.bench.quality.proportion import binomial_at_least, highest_share
from sparktune.units import Ratio

_EVEN = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedCounts:
    """Questions that both arms answered. ``right`` are those that the first arm had right at least once.

    ``lost`` are questions that the second arm had right less often than the first, ``gained`` more often.
    """

    total: int
    right: int
    lost: tuple[str, ...]
    gained: tuple[str, ...]

    def most_lost(self, alpha: float) -> Ratio | None:
        """Return the largest share of what the first arm had right that may be lost; None where it had nothing right.

        The bound is exact, on one side, with the error rate ``alpha``; a question that is lost sometimes counts whole.
        """
        return highest_share(len(self.lost), self.right, alpha) if self.right else None


def paired_counts(first: Mapping[str, Ratio], second: Mapping[str, Ratio]) -> PairedCounts:
    """Compare by question how often each arm was right, as shares of its visits; a question of one arm alone is left.

    The question is the unit, however often it was asked: an arm that is asked the same again answers alike.
    """
    both = [name for name in first if name in second]
    return PairedCounts(
        total=len(both),
        right=sum(first[name] > 0 for name in both),
        lost=tuple(name for name in both if second[name] < first[name]),
        gained=tuple(name for name in both if second[name] > first[name]),
    )


def loss_p(lost: int, gained: int) -> float:
    """Return the probability, when nothing changed, of so many losses or more: McNemar's test on one side."""
    return binomial_at_least(lost, lost + gained, _EVEN)
