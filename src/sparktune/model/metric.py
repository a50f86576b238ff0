"""What a metric is, and what it answers when it cannot be computed."""

__all__ = ["Better", "Metric", "MetricSummary", "Scope", "Unknown"]

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from sparktune.model.options import Slo
from sparktune.model.trial import Trial


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value that cannot be had, and why, in words for a person; never confused with 0."""

    why: str


class Scope(Enum):
    """What one value of the metric describes."""

    REQUEST = "request"  # one value per completed request
    WAVE = "wave"  # one value per trial
    SERVER = "server"  # one value per trial, from the server's own counters
    POSITION = "position"  # one value per place from 0: draft positions, turns of a session


class Better(Enum):
    """Which direction is an improvement."""

    LOWER = "lower"
    HIGHER = "higher"
    NEITHER = "neither"


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One metric; the constant ``METRIC`` of one file in ``bench/metrics``.

    ``name`` is the key in JSON and carries the unit as suffix (``ttft_s``, ``decode_tok_s``, ``prefix_hit_share``);
    ``title`` is the column head; ``unit`` is ``s``, ``tok/s``, ``share``, ``tokens``, ``requests/s`` or ``1``.
    ``compute`` gets a trial (and the user's objective) and returns its values - one per completed request, one for
    the wave or one per position, by ``scope`` - or Unknown. It is pure and raises nothing. ``order`` sorts
    columns; ``in_table`` says whether the short table shows it.
    """

    name: str
    title: str
    unit: str
    scope: Scope
    better: Better
    compute: Callable[[Trial, Slo], tuple[float, ...] | Unknown]
    order: int = 100
    in_table: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricSummary:
    """A metric over the trials of a cell.

    ``median`` is the median over trials of each trial's median; ``minimum`` and ``maximum`` are over all values;
    ``n`` counts values, ``trials`` the trials that gave them; ``per_trial`` keeps each trial's median. ``p90`` and
    ``p99`` are None where n is too small (64 and 459, MLPerf's early-stopping bounds). When no trial gave a value,
    the numbers are None and ``why`` says why; when only some did, ``why`` says what is missing. ``title`` and
    ``in_table`` are the metric's own. ``by_position`` is there for Scope.POSITION alone: entry i is the median over
    trials of position i, which is what such a metric is read by.
    """

    name: str
    title: str
    unit: str
    median: float | None
    minimum: float | None
    maximum: float | None
    n: int
    trials: int
    per_trial: tuple[float | None, ...]
    p90: float | None = None
    p99: float | None = None
    why: str = ""
    in_table: bool = False
    by_position: tuple[float, ...] = ()
