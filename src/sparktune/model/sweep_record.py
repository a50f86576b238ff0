"""A sweep as it is kept: its plan, how its knobs are set, where it stands, and what confirmed its winner."""

__all__ = ["SweepRecord"]

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sparktune.model.sweep import SweepPlan, SweepState
from sparktune.units import Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepRecord:
    """``id`` is also that of the stored experiment in whose place the visits are made: it holds what was touched.

    ``baseline`` are the settings of its arm A, ``flags`` those of the server's command as it ran before ("" or None for
    one without a value), ``engine`` whose names the knobs have. ``live`` says how settings are read back, with ``knob``
    where an experiment has A and B. ``confirm_blocks`` is how many blocks the confirmation may have.

    ``why`` says why it ended. ``winner`` is the key that went to confirmation, "" while none did; ``confirm`` the id of
    the experiment that compares it with the baseline on fresh blocks, "" before it was declared. ``afterwards`` says
    what was set when screening and race had ended.
    """

    id: str
    created_wall_s: Seconds
    plan: SweepPlan
    engine: str = ""
    baseline: Mapping[str, Any] = field(default_factory=dict)
    flags: Mapping[str, str | None] = field(default_factory=dict)
    live: Mapping[str, Any] = field(default_factory=dict)
    confirm_blocks: int = 8
    state: SweepState = SweepState.RUNNING
    why: str = ""
    winner: str = ""
    confirm: str = ""
    afterwards: str = ""
