"""A cell: one shape of load, the unit that a table has a row for."""

__all__ = ["Cell"]

from dataclasses import dataclass, field

from sparktune.model.arrival import Arrivals
from sparktune.model.mix import Household, OwnPrompts, Replay
from sparktune.units import Tokens

_AGENTS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """Prompt tokens x output tokens x depth x concurrency, and how the streams of a wave arrive.

    ``prompt_tokens`` are what the server should count for one request without its context (ISL); ``output_tokens`` the
    tokens asked for (OSL); ``depth`` the tokens of context that are loaded, and cached, before the measured request;
    ``concurrency`` the streams of one wave.

    A mix instead has requests that differ: with ``household`` the first two are those of its long prompt and of a
    turn's reply; with ``prompts`` or ``replay`` ``prompt_tokens`` is 0, that is as the file has them, and
    ``output_tokens`` is for lines that ask for no length of their own. A replay's ``concurrency`` says nothing: its
    requests come when they came.
    """

    prompt_tokens: Tokens
    output_tokens: Tokens
    depth: Tokens = 0
    concurrency: int = 1
    arrivals: Arrivals = field(default_factory=Arrivals)
    household: Household | None = None
    prompts: OwnPrompts | None = None
    replay: Replay | None = None

    def __post_init__(self) -> None:
        """Refuse shapes that cannot be sent."""
        fewest = 0 if self.prompts or self.replay else 1
        if self.prompt_tokens < fewest or self.output_tokens < 1 or self.concurrency < 1 or self.depth < 0:
            message = f"a cell needs positive prompt, output and concurrency and no negative depth: {self}"
            raise ValueError(message)
        if self.is_mix and (self.depth or (self.household and (self.prompts or not self.arrivals.at_once))):
            message = f"a mix has no depth, and a household its own arrivals: {self}"
            raise ValueError(message)
        if self.replay and (self.prompts or self.household or not self.arrivals.at_once or self.prompt_tokens):
            message = f"a replay has its own lengths and arrivals: {self}"
            raise ValueError(message)
        if self.prompts and (self.prompt_tokens or self.concurrency > self.prompts.count):
            message = f"own prompts have their own lengths, and at least one per stream: {self}"
            raise ValueError(message)

    @classmethod
    def of_household(cls, household: Household) -> "Cell":
        """Return the cell of a household."""
        return cls(
            prompt_tokens=household.long_tokens,
            output_tokens=household.reply_tokens,
            concurrency=_AGENTS,
            household=household,
        )

    @property
    def is_mix(self) -> bool:
        """Whether the requests of a wave differ on purpose."""
        return self.household is not None or self.prompts is not None or self.replay is not None

    @property
    def is_plain(self) -> bool:
        """Whether a wave is ``concurrency`` requests of one shape, sent at once."""
        return not self.is_mix and self.arrivals.at_once

    @property
    def is_warm(self) -> bool:
        """Whether prompts repeat or share prefixes on purpose, beyond a cell's context: nothing there is to be cold."""
        own = self.prompts is not None and not self.prompts.nonce
        return own or self.household is not None or self.replay is not None

    @property
    def streams(self) -> int:
        """Requests of one wave."""
        if self.household:
            return self.household.streams
        if self.replay:
            return self.replay.count
        return self.prompts.count if self.prompts else self.concurrency

    @property
    def label(self) -> str:
        """The name of the row: ``pp512 tg128 @ d4096 c4``; depth and arrivals only where there are some."""
        if self.household:
            return self.household.label
        if self.replay:
            return self.replay.label
        depth = f" @ d{self.depth}" if self.depth else ""
        prompt = self.prompts.label if self.prompts else f"pp{self.prompt_tokens}"
        arrivals = f" {self.arrivals.label}" if self.arrivals.label else ""
        return f"{prompt} tg{self.output_tokens}{depth} c{self.concurrency}{arrivals}"

    @property
    def total_prompt_tokens(self) -> Tokens:
        """Tokens that one measured request carries: context and prompt; the longest of a household."""
        return self.household.longest_tokens if self.household else self.depth + self.prompt_tokens
