"""An experiment in a store whose bytes decode: what ``sparktune ab`` would have left."""

from dataclasses import replace

from tests.support.experiments import experiment
from tests.support.measured import store_run
from tests.support.stored import make_cell

from sparktune.experiment.plan import Experiment, VisitRecord, VisitState
from sparktune.io.store import Store

CELLS = (make_cell(), make_cell(concurrency=2))
_BEGAN = 1_795_974_000.0
_EACH = 300.0


def store_experiment(store: Store, *, blocks: int = 3, experiment_id: str = "261129-180000-exp") -> Experiment:
    """Put an experiment into the store, of which so many blocks were measured."""
    plan = replace(experiment(cells=CELLS), id=experiment_id, created_wall_s=_BEGAN)
    store.create_experiment(plan)
    for block in plan.blocks[:blocks]:
        for place, arm in enumerate(block.visits):
            began = _BEGAN + _EACH * (2 * block.number + place)
            run = store_run(store, f"261129-1750{block.number}{place}-vis", cells=CELLS, created_wall_s=began)
            store.set_visit(
                VisitRecord(
                    experiment_id=plan.id,
                    block=block.number,
                    attempt=1,
                    place=place,
                    arm=arm,
                    state=VisitState.DONE,
                    started_wall_s=began,
                    ended_wall_s=began + _EACH - 20,
                    run_id=run.id,
                    sensors={"spark1 temperature_c": 51.0 + block.number},
                )
            )
    return plan
