"""How requests are sent: everything that is the same for all requests of a run. All of it is recorded with the run."""

__all__ = ["Api", "SendOptions", "Slo", "Thinking"]

from dataclasses import dataclass
from enum import Enum

from sparktune.units import Seconds


class Api(Enum):
    """Which OpenAI route is measured; the value is its path below the base URL."""

    CHAT = "chat/completions"
    COMPLETIONS = "completions"


class Thinking(Enum):
    """What to ask of a reasoning model."""

    SERVER = "server"  # as the server is configured: nothing is sent
    ON = "on"
    OFF = "off"


@dataclass(frozen=True, slots=True, kw_only=True)
class SendOptions:
    """``fixed_length`` asks for exactly the cell's output tokens; otherwise they are an upper limit.

    ``temperature`` None leaves sampling to the server. ``extra_body`` is sent as it is, last, as JSON text.
    """

    model: str
    api: Api = Api.CHAT
    fixed_length: bool = True
    thinking: Thinking = Thinking.SERVER
    temperature: float | None = None
    seed: int | None = None
    extra_body: str = "{}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Slo:
    """Service-level objective for goodput; a limit that is None does not count."""

    ttft_s: Seconds | None = None
    tpot_s: Seconds | None = None
    e2e_s: Seconds | None = None

    @property
    def empty(self) -> bool:
        """Whether no limit is set."""
        return self.ttft_s is None and self.tpot_s is None and self.e2e_s is None
