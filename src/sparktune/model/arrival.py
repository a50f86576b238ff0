"""When the streams of a wave begin: all at once, in steps, at random instants, or when another stream is so far."""

__all__ = ["AT_ONCE", "Arrivals", "Start"]

from dataclasses import dataclass

from sparktune.units import Seconds


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Arrivals:
    """How the streams of a cell arrive; without both, all of them at once.

    ``stagger_s`` is the time from one stream's start to the next one's. ``rate_per_s`` is the mean rate of a Poisson
    process: the waits between two starts are exponentially distributed, and fixed by the workload's seed.
    """

    stagger_s: Seconds = 0.0
    rate_per_s: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what is no plan."""
        if not (0 <= self.stagger_s < float("inf") and 0 <= self.rate_per_s < float("inf")):
            message = f"arrivals need finite numbers that are not negative: {self}"
            raise ValueError(message)
        if self.stagger_s and self.rate_per_s:
            message = "arrivals are either staggered or Poisson, not both"
            raise ValueError(message)

    @property
    def at_once(self) -> bool:
        """Whether all streams of a wave are sent back to back."""
        return not self.stagger_s and not self.rate_per_s

    @property
    def label(self) -> str:
        """What a row's name says of it; nothing for streams that start at once."""
        if self.stagger_s:
            return f"stagger {self.stagger_s:g}s"
        return f"poisson {self.rate_per_s:g}/s" if self.rate_per_s else ""


AT_ONCE = Arrivals()


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """When one stream is sent: ``delay_s`` after the wave's first send, or after what another stream did.

    ``after`` is that other stream's place in the wave. ``reads`` 0 waits until it has ended, however it ended; n until
    n packets of its answer were read, or its end if that comes first.
    """

    delay_s: Seconds = 0.0
    after: int | None = None
    reads: int = 0

    @property
    def at_once(self) -> bool:
        """Whether the stream belongs to the first sends of the wave."""
        return self.after is None and not self.delay_s
