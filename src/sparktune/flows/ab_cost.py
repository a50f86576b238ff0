"""What an experiment will cost and what it can find, as far as that is known before it starts."""

__all__ = ["cost_words"]

from collections.abc import Mapping

from sparktune.experiment.plan import Experiment
from sparktune.experiment.planning import smallest_detectable
from sparktune.io.store.store import Store
from sparktune.model.cell import Cell
from sparktune.model.experiment_row import ExperimentRow
from sparktune.model.launcher import ArmPlan
from sparktune.units import Seconds, format_duration, format_percent

_WARM_UP_WAVES = 3  # as many as have to agree
_LISTED = 200
# Deviations of blocks that a quiet, a usual and a noisy machine have in the simulations of the tests.
_TYPICAL = (0.03, 0.057, 0.106)


def cost_words(store: Store, experiment: Experiment, plan: ArmPlan) -> tuple[str, ...]:
    """Return lines: how long it takes, and the smallest effect that its looks can find."""
    return (_time(store, experiment, plan), _detectable(store, experiment))


def _time(store: Store, experiment: Experiment, plan: ArmPlan) -> str:
    waves = {cell: store.usual_wave_s(experiment.base_url, cell) for cell in experiment.workload.cells}
    known = {cell: wave for cell, wave in waves.items() if wave is not None}
    visits = 2 * len(experiment.blocks)
    setting = "the arm set anew" if plan.takes != "live" else f"{format_duration(experiment.hot_settle_s)} of settling"
    if len(known) < len(waves):
        return f"cost: {visits} visits, {setting} before each; the time is told after the first block, no run says it"
    visit_s = _measuring_s(experiment, known) + (0.0 if plan.takes != "live" else experiment.hot_settle_s)
    first = next((look.blocks for look in experiment.rules.looks), 0)
    early = f", {format_duration(2 * first * visit_s)} to the first look" if first <= len(experiment.blocks) else ""
    besides = "" if plan.takes == "live" else ", setting the arm besides"
    total = format_duration(visits * visit_s)
    return f"cost: {visits} visits of about {format_duration(visit_s)}{besides}: {total}{early}"


def _measuring_s(experiment: Experiment, waves: Mapping[Cell, Seconds]) -> Seconds:
    asked = experiment.workload.warmup.waves
    warm_up = _WARM_UP_WAVES if asked is None else asked
    return sum(waves.values()) * (experiment.workload.trials + warm_up)


def _detectable(store: Store, experiment: Experiment) -> str:
    looks = [look for look in experiment.rules.looks if look.blocks <= len(experiment.blocks)]
    if not looks:
        return "finds: nothing that could be called a result; fewer than 3 blocks are an anecdote"
    before = _measured_before(store, experiment)
    if before is not None and before.deviation is not None:
        deviation = before.deviation
        found = ", ".join(
            f"{format_percent(smallest_detectable(deviation, look.blocks, look.alpha))} by block {look.blocks}"
            for look in looks
        )
        known = f"with the noise of {before.id} ({format_percent(deviation)} between blocks)"
        return f"finds, in four of five experiments {known}: {found}"
    last = looks[-1]
    found = ", ".join(
        f"{format_percent(smallest_detectable(one, last.blocks, last.alpha))} with {format_percent(one)}"
        for one in _TYPICAL
    )
    return f"finds by block {last.blocks}, in four of five experiments, by the noise between blocks: {found}"


def _measured_before(store: Store, experiment: Experiment) -> ExperimentRow | None:
    """Return the newest experiment on the same server and metric whose noise is known; it plans, and tests nothing."""
    return next(
        (
            row
            for row in store.list_experiments(_LISTED)
            if row.deviation is not None
            and row.base_url == experiment.base_url
            and row.metric == experiment.primary.metric
        ),
        None,
    )
