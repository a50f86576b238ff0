"""The trials of a visit: one run of bench in the block's cell order, with more trials where one stands apart."""

__all__ = ["Measured", "measure_visit"]

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from sparktune.experiment.blocks import trial_values
from sparktune.experiment.design import Block
from sparktune.experiment.outliers import extra_trials, log_deviation
from sparktune.experiment.plan import Experiment
from sparktune.flows.ab.tools import AbTools
from sparktune.flows.bench.load_watch import LoadWatch
from sparktune.flows.bench.order import BenchOrder, open_bench
from sparktune.flows.bench.result import rebuild
from sparktune.flows.bench.run import BenchTools, run_bench
from sparktune.model.result import RunResult
from sparktune.model.run import Run
from sparktune.model.workload import Workload
from sparktune.units import Seconds

_READY_S: Seconds = 30.0  # the arm was awaited already; a proxy in front may blink


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A visit's result, and the further trials that its block's other visit gets, too, by the cell's label."""

    result: RunResult
    owed: Mapping[str, int]


async def measure_visit(
    tools: AbTools,
    experiment: Experiment,
    block: Block,
    *,
    owed: Mapping[str, int],
    earlier: Sequence[RunResult],
    began: Callable[[Run], None],
    watch: LoadWatch,
) -> Measured:
    """Measure one visit; ``began`` gets the run when it is in the store and nothing has been sent yet.

    ``watch`` looks on, and may end it. ``owed`` are further trials because of the block's other visit; ``earlier`` the
    results of visits before this block, from which comes what counts as standing apart. Raises what ``open_bench`` and
    ``run_bench`` raise.
    """
    workload = replace(experiment.workload, cells=tuple(experiment.workload.cells[place] for place in block.cells))
    order = BenchOrder(
        base_url=experiment.base_url,
        workload=workload,
        corpus=tools.corpus,
        secret=tools.secret,
        wait_s=_READY_S,
        argv=tools.argv,
        entropy=tools.entropy(2),
        watch=watch,
        cores=tools.cores,
    )
    async with open_bench(order, tools.store, tools.progress) as (bench, run):
        began(run)
        await run_bench(bench, run)
        further = _further(experiment, rebuild(tools.store, run), owed, earlier)
        for trials in sorted(set(further.values())):
            await _measure_more(tools, bench, run, further, trials)
        result = rebuild(tools.store, run)
    tools.store.save_result_summary(result)
    return Measured(result=result, owed=further)


async def _measure_more(tools: AbTools, bench: BenchTools, run: Run, further: Mapping[str, int], trials: int) -> None:
    cells = tuple(cell for cell in run.workload.cells if further.get(cell.label) == trials)
    tools.progress.say(
        f"{trials} more of {', '.join(cell.label for cell in cells)}: a trial stands apart; all are kept"
    )
    more: Workload = replace(run.workload, cells=cells, trials=run.workload.trials + trials)
    await run_bench(bench, replace(run, workload=more))


def _further(
    experiment: Experiment, result: RunResult, owed: Mapping[str, int], earlier: Sequence[RunResult]
) -> dict[str, int]:
    metric = experiment.primary.metric
    found: dict[str, int] = {}
    for cell, values in trial_values(result, metric).items():
        before = [series for other in earlier if (series := trial_values(other, metric).get(cell))]
        deviation = log_deviation([series for series in before if min(series) > 0])
        wanted = extra_trials(values, deviation) if min(values) > 0 else 0
        trials = max(wanted, owed.get(cell, 0))
        if trials:
            found[cell] = trials
    return found
