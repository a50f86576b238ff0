"""The confirmation of a winner: an experiment of its own on fresh blocks, of which the sweep has measured none."""

__all__ = ["confirmation"]

from collections.abc import Callable

from sparktune.deploy.sweep_arms import arm_with, live_with
from sparktune.experiment.arm_settings import arm_settings, called, differing
from sparktune.experiment.design import Arm
from sparktune.experiment.plan import Experiment
from sparktune.experiment.request import Request, declared
from sparktune.model.sweep import Candidate
from sparktune.model.sweep_record import SweepRecord
from sparktune.units import Seconds


def confirmation(
    record: SweepRecord,
    umbrella: Experiment,
    winner: Candidate,
    *,
    experiment_id: str,
    created_wall_s: Seconds,
    draw: Callable[[], float],
) -> Experiment:
    """Return the experiment that compares the winner (arm B) with the baseline, as strict as any other.

    ``draw`` gives numbers inside [0, 1) from a seeded generator: the order of its blocks.
    """
    arms = {Arm.A: umbrella.arms[Arm.A], Arm.B: arm_with(record, umbrella.launcher, winner)}
    moved = map(called, differing(arm_settings(arms[Arm.A]), arm_settings(arms[Arm.B])))
    request = Request(
        name=f"{umbrella.name}: {winner.key}",
        base_url=umbrella.base_url,
        launcher=umbrella.launcher,
        knob=", ".join(moved) or winner.key,
        arms=arms,
        live=live_with(record, winner),
        workload=umbrella.workload,
        primary=umbrella.primary,
        margin=umbrella.rules.margin,
        equivalence=umbrella.rules.equivalence,
        guards=umbrella.guards,
        blocks=record.confirm_blocks,
        hot_settle_s=umbrella.hot_settle_s,
        nodes=umbrella.nodes,
        scope=umbrella.scope,
        folder=umbrella.folder,
        prompts=umbrella.prompts,
        where=umbrella.where,
        protection=umbrella.protection,
        quality=umbrella.quality,
    )
    return declared(request, experiment_id=experiment_id, created_wall_s=created_wall_s, seed=umbrella.seed, draw=draw)
