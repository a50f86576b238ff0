"""How many tokens a character is, learned from the prompts that the server has counted."""

__all__ = ["CHARS_PER_TOKEN", "Density"]

from sparktune.units import Ratio, Tokens

CHARS_PER_TOKEN = 4.0
"""What is taken while nothing is known: prose and code in a large vocabulary."""

_FEWEST = 3
_FURTHEST: Ratio = 2.0  # a slope further than this from the mean comes of texts that differ in kind


class Density:
    """A line through characters and tokens of whole prompts: its slope is free of what a chat template always adds."""

    def __init__(self) -> None:
        """Begin with nothing known."""
        self._count = 0
        self._chars = self._tokens = self._chars_squared = self._products = 0

    def learn(self, chars: int, tokens: Tokens) -> None:
        """Take one prompt whose tokens are known."""
        self._count += 1
        self._chars += chars
        self._tokens += tokens
        self._chars_squared += chars * chars
        self._products += chars * tokens

    @property
    def tokens_per_char(self) -> float:
        """Tokens of all known prompts by their characters."""
        return self._tokens / self._chars if self._chars else 1 / CHARS_PER_TOKEN

    def slope(self, otherwise: float) -> float:
        """Return the tokens that one more character adds; ``otherwise`` where too little is known to tell."""
        spread = self._count * self._chars_squared - self._chars * self._chars
        if self._count < _FEWEST or not spread:
            return otherwise
        slope = (self._count * self._products - self._chars * self._tokens) / spread
        return slope if otherwise / _FURTHEST <= slope <= otherwise * _FURTHEST else otherwise
