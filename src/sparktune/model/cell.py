"""A cell: one shape of load, the unit that a table has a row for."""

__all__ = ["Cell"]

from dataclasses import dataclass

from sparktune.units import Tokens


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Cell:
    """Prompt tokens x output tokens x depth x concurrency.

    ``prompt_tokens`` are what the server should count for one request without its context (ISL); ``output_tokens`` the
    tokens asked for (OSL); ``depth`` the tokens of context that are loaded, and cached, before the measured request;
    ``concurrency`` the streams of one wave.
    """

    prompt_tokens: Tokens
    output_tokens: Tokens
    depth: Tokens = 0
    concurrency: int = 1

    def __post_init__(self) -> None:
        """Refuse shapes that cannot be sent."""
        if self.prompt_tokens < 1 or self.output_tokens < 1 or self.concurrency < 1 or self.depth < 0:
            message = f"a cell needs positive prompt, output and concurrency and no negative depth: {self}"
            raise ValueError(message)

    @property
    def label(self) -> str:
        """The name of the row: ``pp512 tg128 @ d4096 c4``; depth only where there is one."""
        depth = f" @ d{self.depth}" if self.depth else ""
        return f"pp{self.prompt_tokens} tg{self.output_tokens}{depth} c{self.concurrency}"

    @property
    def total_prompt_tokens(self) -> Tokens:
        """Tokens that one measured request carries: context and prompt."""
        return self.depth + self.prompt_tokens
