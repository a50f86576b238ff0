"""A sweep as it is kept: its plan, how each knob is set, where it stands, and what confirmed its winner."""

__all__ = ["KnobSetting", "SweepRecord"]

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from sparktune.model.sweep import SweepPlan, SweepState
from sparktune.units import Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class KnobSetting:
    """How a knob is set: a ``flag`` of the command, a variable, or a ``key`` of the service; ``name`` as written."""

    kind: Literal["flag", "env", "key"]
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepRecord:
    """``id`` is also that of the stored experiment in whose place the visits are made: it holds what was touched.

    ``settings`` say how each knob of the plan is set. ``why`` says why it ended. ``winner`` is the key that went to
    confirmation, "" while none did; ``confirm`` the id of the experiment that compares it with the baseline on fresh
    blocks, "" before it was declared. ``afterwards`` says what was set when screening and race had ended.
    """

    id: str
    created_wall_s: Seconds
    plan: SweepPlan
    settings: Mapping[str, KnobSetting] = field(default_factory=dict)
    state: SweepState = SweepState.RUNNING
    why: str = ""
    winner: str = ""
    confirm: str = ""
    afterwards: str = ""
