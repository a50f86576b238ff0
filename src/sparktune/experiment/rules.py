"""What an experiment may conclude, declared before its first trial."""

__all__ = ["ANECDOTE_BELOW", "Look", "Rules"]

from dataclasses import dataclass, field

ANECDOTE_BELOW = 3  # blocks; with fewer there is no verdict, whatever the numbers are


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A look at the data after so many blocks, and the error rate that it may have alone (two-sided)."""

    blocks: int
    alpha: float


def _looks() -> tuple[Look, ...]:
    return (Look(blocks=3, alpha=0.01), Look(blocks=5, alpha=0.016), Look(blocks=8, alpha=0.03))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Looks are the only times at which a verdict is given.

    ``alpha`` is the error rate over all of them. Their own alphas add up to a little more, because each look has the
    blocks of the one before: without any effect 4.8 % of normal data cross one of them (60,000 simulated experiments;
    ``tests/unit/experiment/test_error_rates.py`` repeats some). ``margin`` is the smallest effect worth having,
    ``equivalence`` the largest that does not matter, both as shares (0.03: 3 %). ``floor`` is the smallest standard
    deviation of a block's log ratio that is believed: clocks and counters have a grain. ``only_equivalence``: the arms
    are two ways to run the same, and the question is whether they are; no arm can win then.
    """

    looks: tuple[Look, ...] = field(default_factory=_looks)
    alpha: float = 0.05
    margin: float = 0.03
    equivalence: float = 0.05
    floor: float = 0.005
    only_equivalence: bool = False

    def __post_init__(self) -> None:
        """Refuse looks that decide on an anecdote, or that are not in order. Raises ValueError."""
        counts = [look.blocks for look in self.looks]
        if not counts or counts[0] < ANECDOTE_BELOW or counts != sorted(set(counts)):
            message = f"looks after {counts} blocks: at least {ANECDOTE_BELOW}, rising"
            raise ValueError(message)
        shares = (self.margin, self.equivalence, self.alpha, *(look.alpha for look in self.looks))
        if not all(0 < share < 1 for share in shares):
            message = f"margin {self.margin}, equivalence {self.equivalence}, alpha {self.alpha}: shares inside (0, 1)"
            raise ValueError(message)

    @property
    def last(self) -> Look:
        """The look after which there is no more."""
        return self.looks[-1]

    def look_after(self, blocks: int) -> Look | None:
        """Return the look that is due after so many blocks, None in between."""
        return next((look for look in self.looks if look.blocks == blocks), None)
