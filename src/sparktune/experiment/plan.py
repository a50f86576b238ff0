"""An experiment as it was declared: stored before its first trial, and never changed afterwards."""

__all__ = ["Experiment", "GuardMetric", "Primary", "VisitRecord", "VisitState"]

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from sparktune.experiment.design import Arm, Block
from sparktune.experiment.effect import Better
from sparktune.experiment.protection import Protection
from sparktune.experiment.rules import Rules
from sparktune.model.guard import Trip
from sparktune.model.launcher import ArmSpec
from sparktune.model.quality import Quality, QualityPlan
from sparktune.model.workload import Workload
from sparktune.units import Ratio, Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Primary:
    """The one number that decides: a ``metric`` of a trial as the weighted geometric mean over cells.

    ``weights`` by the cell's label; a cell that is not named has weight 1, weight 0 leaves it out.
    """

    metric: str = "output_tok_s"
    better: Better = Better.HIGHER
    weights: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardMetric:
    """A metric that must not get worse by more than ``margin``: shown to be so, not merely unseen (non-inferiority)."""

    metric: str
    better: Better
    margin: Ratio = 0.10


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """``launcher`` names how arms are set and ``arms`` what each of them is, in that launcher's own words.

    ``knob`` is the setting that differs, as people call it. ``aa``: both arms are the same, to learn the noise.
    ``blocks`` is the whole plan. ``live`` says how a setting is read back, in the launcher's words. ``workload.trials``
    are the trials of one visit. ``hot_settle_s`` is waited after a setting that needs no restart. ``nodes`` are the
    machines behind the endpoint, where they are known; ``scope`` says for whom a result holds (cluster, service).
    ``folder`` is where its commands start, ``prompts`` the file of own prompts, "" without any. ``where`` lists the
    parts of the service on their nodes, in the order in which they start, for launchers that set a service.
    ``protection`` says when a guard stops it, and what a lost node means. ``quality`` is what is asked after the trials
    of a visit, None for nothing. ``sweep``: it has no blocks, and holds what the visits of a sweep touch.
    """

    id: str
    created_wall_s: Seconds
    name: str
    base_url: str
    launcher: str
    knob: str
    arms: Mapping[Arm, Mapping[str, Any]]
    live: Mapping[str, Any]
    workload: Workload
    blocks: tuple[Block, ...]
    primary: Primary = field(default_factory=Primary)
    guards: tuple[GuardMetric, ...] = ()
    rules: Rules = field(default_factory=Rules)
    seed: int = 0
    aa: bool = False
    hot_settle_s: Seconds = 60.0
    nodes: tuple[str, ...] = ()
    scope: Mapping[str, str] = field(default_factory=dict)
    folder: str = ""
    prompts: str = ""
    where: tuple[Mapping[str, Any], ...] = ()
    protection: Protection = field(default_factory=Protection)
    quality: QualityPlan | None = None
    sweep: bool = False

    @property
    def spec(self) -> ArmSpec:
        """What launchers are told of the arms."""
        arms = {arm.value: settings for arm, settings in self.arms.items()}
        return ArmSpec(arms=arms, live=self.live, where=self.where, endpoint=self.base_url)

    @property
    def command(self) -> str:
        """The command whose ``resume`` and ``show`` this experiment knows."""
        return "sparktune sweep" if self.sweep else "sparktune ab"


class VisitState(Enum):
    """Where a visit stands; one that a crash ended stays RUNNING, and its block is measured again."""

    RUNNING = "running"
    DONE = "done"
    REFUSED = "refused"  # the arm was not live: nothing was measured
    VOID = "void"  # the arm did not stay live, or the visit did not end
    STOPPED = "stopped"  # a guard ended it
    BOOTING = "booting"  # its arm is written, and counts when this machine has booted: it goes on then


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitRecord:
    """One visit that began. ``attempt`` counts how often its block was begun, from 1; ``run_id`` holds its trials.

    ``live_before`` and ``live_after`` are what was read back, by name of setting; ``live_wanted`` what should be.
    ``sensors`` are readings at the start, by node and what was read (``spark1 temperature_c``). ``notes`` are what has
    to be said of the visit. ``why`` explains every state but DONE. ``trip`` is the limit that was crossed, where a
    guard stopped it; ``unwatched`` says which guards could not watch, and why; ``lost`` is the node that was lost
    meanwhile. ``quality`` is what was answered after the trials, None where nothing was asked.
    """

    experiment_id: str
    block: int
    attempt: int
    place: int
    arm: Arm
    state: VisitState
    started_wall_s: Seconds
    ended_wall_s: Seconds | None = None
    run_id: str = ""
    live_before: Mapping[str, str] = field(default_factory=dict)
    live_after: Mapping[str, str] = field(default_factory=dict)
    live_wanted: Mapping[str, str] = field(default_factory=dict)
    sensors: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    why: str = ""
    trip: Trip | None = None
    unwatched: tuple[str, ...] = ()
    lost: str = ""
    quality: Quality | None = None
