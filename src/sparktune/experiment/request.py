"""An experiment as somebody asked for it: everything but its id, its time and the order of its blocks."""

__all__ = ["BLOCK_COUNTS", "Request", "declared"]

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sparktune.experiment.design import Arm, blocks_of
from sparktune.experiment.plan import Experiment, GuardMetric, Primary
from sparktune.experiment.protection import Protection
from sparktune.experiment.rules import ANECDOTE_BELOW, Rules
from sparktune.experiment.steps_up import ascending
from sparktune.model.quality import QualityPlan
from sparktune.model.workload import Workload
from sparktune.units import Ratio, Seconds

BLOCK_COUNTS = (*range(1, ANECDOTE_BELOW), *(look.blocks for look in Rules().looks))
"""How many blocks an experiment may have: those of a look, or fewer for an anecdote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Fields as in ``Experiment``. ``margin`` and ``equivalence`` are shares; ``blocks`` is one of ``BLOCK_COUNTS``."""

    name: str
    base_url: str
    launcher: str
    knob: str
    arms: Mapping[Arm, Mapping[str, Any]]
    workload: Workload
    primary: Primary
    margin: Ratio
    equivalence: Ratio
    live: Mapping[str, Any] = field(default_factory=dict)
    guards: tuple[GuardMetric, ...] = ()
    blocks: int = BLOCK_COUNTS[-1]
    aa: bool = False
    hot_settle_s: Seconds = 60.0
    nodes: tuple[str, ...] = ()
    scope: Mapping[str, str] = field(default_factory=dict)
    folder: str = ""
    prompts: str = ""
    where: tuple[Mapping[str, Any], ...] = ()
    protection: Protection = field(default_factory=Protection)
    quality: QualityPlan | None = None
    only_equivalence: bool = False


def declared(
    request: Request, *, experiment_id: str, created_wall_s: Seconds, seed: int, draw: Callable[[], float]
) -> Experiment:
    """Return the whole plan; ``draw`` gives numbers inside [0, 1) from a generator of that seed.

    An experiment of fewer blocks has the looks that lie in it, each as strict as ever. One that has none gives no
    verdict.
    """
    return Experiment(
        id=experiment_id,
        created_wall_s=created_wall_s,
        name=request.name,
        base_url=request.base_url,
        launcher=request.launcher,
        knob=request.knob,
        arms=request.arms,
        live=request.live,
        workload=request.workload,
        blocks=blocks_of(request.blocks, ascending(request.workload.cells), draw),
        primary=request.primary,
        guards=request.guards,
        rules=_rules(request),
        seed=seed,
        aa=request.aa,
        hot_settle_s=request.hot_settle_s,
        nodes=request.nodes,
        scope=request.scope,
        folder=request.folder,
        prompts=request.prompts,
        where=request.where,
        protection=request.protection,
        quality=request.quality,
    )


def _rules(request: Request) -> Rules:
    looks = tuple(look for look in Rules().looks if look.blocks <= request.blocks)
    return Rules(
        looks=looks or Rules().looks,
        margin=request.margin,
        equivalence=request.equivalence,
        only_equivalence=request.only_equivalence,
    )
