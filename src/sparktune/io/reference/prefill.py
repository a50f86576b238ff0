"""Prompts that are computed: some at once, which share the server's rate; the others wait in the order they came.

The rate is that of the whole server, as with chunked prefill, where every step has a budget of tokens. So nothing is
won in all by more at once: who came second waits less, and who came first waits longer. What is not emulated: that
answers are written more slowly meanwhile.
"""

__all__ = ["Prefills", "Prompt"]

from collections import deque
from collections.abc import Callable
from typing import Final

from sparktune.units import NS_PER_S, Nanoseconds, Tokens, TokensPerSecond

_NOTHING: Final = 1e-6  # tokens that are left of a prompt by rounding alone


class Prompt:
    """One prompt; ``left`` are the tokens still to be computed, ``done`` is called with the instant when none are."""

    def __init__(self, tokens: Tokens, done: Callable[[Nanoseconds], None]) -> None:
        """Have all tokens left."""
        self.left = float(tokens)
        self.done = done


class Prefills:
    """``due_ns`` is when the next prompt will be complete, None while none is computed."""

    def __init__(self) -> None:
        """Compute nothing."""
        self._active: list[Prompt] = []
        self._waiting: deque[Prompt] = deque()
        self._now_ns: Nanoseconds = 0
        self._limit = 1
        self._rate: TokensPerSecond = 1.0

    @property
    def due_ns(self) -> Nanoseconds | None:
        """When the next prompt will be complete; the instant is exact, however late anybody looks."""
        if not self._active:
            return None
        least = min(prompt.left for prompt in self._active)
        return self._now_ns + round(least * len(self._active) / self._rate * NS_PER_S)

    def add(self, prompt: Prompt, at_ns: Nanoseconds, *, limit: int, rate: TokensPerSecond) -> None:
        """Take a prompt that came at this instant; from now on ``limit`` are computed at once, at ``rate`` in all."""
        self.advance(at_ns)
        self._now_ns = max(self._now_ns, at_ns)
        self._limit, self._rate = limit, rate
        self._waiting.append(prompt)
        self._fill()

    def remove(self, prompt: Prompt, at_ns: Nanoseconds) -> None:
        """Forget a prompt whose client has left at this instant."""
        self.advance(at_ns)
        if prompt in self._active:
            self._active.remove(prompt)
        elif prompt in self._waiting:
            self._waiting.remove(prompt)
        self._fill()

    def advance(self, to_ns: Nanoseconds) -> None:
        """Complete, in their order, what was due until this instant."""
        while (due_ns := self.due_ns) is not None and due_ns <= to_ns:
            self._compute(due_ns)
            complete = [prompt for prompt in self._active if prompt.left <= _NOTHING]
            self._active = [prompt for prompt in self._active if prompt.left > _NOTHING]
            self._fill()
            for prompt in complete:
                prompt.done(due_ns)
        if self._active and to_ns > self._now_ns:
            self._compute(to_ns)

    def _compute(self, until_ns: Nanoseconds) -> None:
        share = (until_ns - self._now_ns) / NS_PER_S * self._rate / len(self._active)
        for prompt in self._active:
            # An instant is a whole nanosecond, and what is computed in half of one is nobody's wait.
            prompt.left -= share if prompt.left - share > self._rate / NS_PER_S else prompt.left
        self._now_ns = until_ns

    def _fill(self) -> None:
        while self._waiting and len(self._active) < self._limit:
            self._active.append(self._waiting.popleft())
