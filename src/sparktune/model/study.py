"""A space of configurations that several sweeps search together, and what each of them learned there."""

__all__ = ["Learned", "StudySpace"]

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StudySpace:
    """``name`` is the same wherever knobs, values, baseline, engine, model, workload and objective are the same.

    ``choices`` are all values of each knob, the baseline's own first ("" for not set).
    """

    name: str
    choices: Mapping[str, tuple[str, ...]]

    @property
    def baseline(self) -> dict[str, str]:
        """The configuration that is held against all others."""
        return {knob: values[0] for knob, values in self.choices.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """What a sweep came to for one configuration; ``values`` of every knob.

    ``log_ratio`` is the logarithm of its objective over the baseline's, None where there is none: ``failed`` says that
    it was tried and did not run, else it was not tried.
    """

    key: str
    values: Mapping[str, str]
    log_ratio: float | None = None
    failed: str = ""
