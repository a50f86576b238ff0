"""What an experiment will cost and what it can find, as far as that is known before it starts."""

__all__ = ["cost_words", "visit_s"]

from collections.abc import Mapping

from sparktune.experiment.plan import Experiment
from sparktune.experiment.planning import smallest_detectable
from sparktune.experiment.rules import Look
from sparktune.io.store.faults import leave_out
from sparktune.io.store.store import Store
from sparktune.model.cell import Cell
from sparktune.model.experiment_row import ExperimentRow
from sparktune.model.launcher import ArmPlan
from sparktune.units import Ratio, Seconds, format_duration, format_percent

_WARM_UP_WAVES = 3  # as many as have to agree
_LISTED = 200
# Deviations of blocks that a quiet, a usual and a noisy machine have in the simulations of the tests.
_TYPICAL = (0.03, 0.057, 0.106)


def cost_words(store: Store, experiment: Experiment, plan: ArmPlan) -> tuple[str, ...]:
    """Return how long it takes, and the smallest effect that it can detect.

    Where equivalence is the question no effect is looked for; the plan says what proves the margin.
    """
    time = _time(store, experiment, plan)
    return (time,) if experiment.rules.only_equivalence else (time, _detectable(store, experiment))


def visit_s(store: Store, experiment: Experiment) -> Seconds | None:
    """Return what the trials of a visit take, and the quiet after them; None where no earlier run says it."""
    waves = {cell: store.usual_wave_s(experiment.base_url, cell) for cell in experiment.workload.cells}
    known = {cell: wave for cell, wave in waves.items() if wave is not None}
    if len(known) < len(waves):
        return None
    return _measuring_s(experiment, known) + (experiment.protection.tail_s if experiment.protection.on else 0.0)


def _time(store: Store, experiment: Experiment, plan: ArmPlan) -> str:
    waves = {cell: store.usual_wave_s(experiment.base_url, cell) for cell in experiment.workload.cells}
    known = {cell: wave for cell, wave in waves.items() if wave is not None}
    visits = 2 * len(experiment.blocks)
    live = plan.takes == "live"
    if len(known) < len(waves):
        return f"cost: {visits} visits; how long they take is told after the first block, no earlier run says it"
    tail_s = experiment.protection.tail_s if experiment.protection.on else 0.0
    visit_s = _measuring_s(experiment, known) + (experiment.hot_settle_s if live else 0.0) + tail_s
    first = next((look.blocks for look in experiment.rules.looks), 0)
    early = f", {format_duration(2 * first * visit_s)} to the first look" if first <= len(experiment.blocks) else ""
    besides = "" if live else "; setting an arm comes on top of each"
    return f"cost: about {format_duration(visits * visit_s)} for {visits} visits{early}{besides}"


def _measuring_s(experiment: Experiment, waves: Mapping[Cell, Seconds]) -> Seconds:
    asked = experiment.workload.warmup.waves
    warm_up = _WARM_UP_WAVES if asked is None else asked
    return sum(waves.values()) * (experiment.workload.trials + warm_up)


def _detectable(store: Store, experiment: Experiment) -> str:
    looks = [look for look in experiment.rules.looks if look.blocks <= len(experiment.blocks)]
    if not looks:
        return "can detect: nothing, fewer than 3 blocks are an anecdote"
    before = _measured_before(store, experiment)
    if before is not None and before.deviation is not None:
        found = [(_smallest(before.deviation, look, experiment), look.blocks) for look in looks]
        told = ", ".join(f"{smallest} by block {blocks}" for smallest, blocks in found)
        return f"can detect, four times in five: {told} (noise as in {before.id})"
    quiet, usual, noisy = (_smallest(deviation, looks[-1], experiment) for deviation in _TYPICAL)
    blocks = f"by block {looks[-1].blocks}"
    return f"can detect, four times in five: {usual} {blocks} ({quiet} on a quiet machine, {noisy} on a noisy one)"


def _smallest(deviation: Ratio, look: Look, experiment: Experiment) -> str:
    rules = experiment.rules
    least = smallest_detectable(deviation, look.blocks, look.alpha, margin=rules.margin, floor=rules.floor)
    return format_percent(least)


def _measured_before(store: Store, experiment: Experiment) -> ExperimentRow | None:
    """Return the newest experiment on the same server and metric whose noise is known; it plans, and tests nothing."""
    return next(
        (
            row
            for row in store.list_experiments(_LISTED, leave_out)
            if row.deviation is not None
            and row.base_url == experiment.base_url
            and row.metric == experiment.primary.metric
        ),
        None,
    )
