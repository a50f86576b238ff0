"""Predictions of a sweep: from its baseline's first visit, or before that from the newest run on the same server."""

__all__ = ["foretold", "sweep_outcomes"]

from collections.abc import Iterator

from sparktune.deploy.settings.grammars import grammar_of
from sparktune.deploy.settings.normal import normal_form
from sparktune.deploy.sweep_limits import Ground
from sparktune.errors import SparktuneError
from sparktune.experiment.plan import Experiment
from sparktune.experiment.search.accepted import acceptance_of
from sparktune.experiment.search.outcomes import outcomes
from sparktune.experiment.search.predict import predictions
from sparktune.experiment.sweep_result import SweepResult
from sparktune.flows.bench.result import rebuild
from sparktune.io.store.faults import leave_out
from sparktune.io.store.store import Store
from sparktune.model.document import Word
from sparktune.model.prediction import Outcome, Prediction
from sparktune.model.result import RunResult
from sparktune.model.run import RunState
from sparktune.model.setting import Value
from sparktune.model.sweep import BASELINE, SweepVisit, VisitEnd
from sparktune.model.sweep_record import SweepRecord

_NEWEST = 50  # runs that are looked through for one on this server


def foretold(
    store: Store, record: SweepRecord, umbrella: Experiment, visits: tuple[SweepVisit, ...] = ()
) -> tuple[Prediction, ...]:
    """Return what arithmetic says of the configurations that are left; nothing where no run on this server told it.

    A run of before counts only while it is of the model that the sweep names, and its drafts are those of the baseline.
    """
    result = _source(store, umbrella, visits)
    if result is None:
        return ()
    cells, pool = umbrella.workload.cells, result.run.engine.kv_pool_tokens
    ground = Ground(
        engine=record.engine,
        values=_values(record),
        facts={} if pool is None else {"kv_pool_tokens": float(pool)},
        concurrency=max(cell.concurrency for cell in cells),
        request_tokens=max(cell.total_prompt_tokens + cell.output_tokens for cell in cells),
    )
    acceptance = acceptance_of(result)
    drafts = ground.values.get("speculative_config.num_speculative_tokens")
    if acceptance is not None and isinstance(drafts, int) and drafts != len(acceptance.shares):
        acceptance = None
    return predictions(record.plan.screened, ground, acceptance)


def sweep_outcomes(store: Store, result: SweepResult) -> tuple[Outcome, ...]:
    """Return the predictions of a sweep beside what its visits came to."""
    return outcomes(foretold(store, result.record, result.experiment, result.visits), result.visits)


def _source(store: Store, umbrella: Experiment, visits: tuple[SweepVisit, ...]) -> RunResult | None:
    for run_id in _candidates(store, umbrella, visits):
        try:
            return rebuild(store, store.load_run(run_id))
        except SparktuneError:  # a run of an engine or a version that is no more; the next one may tell
            continue
    return None


def _candidates(store: Store, umbrella: Experiment, visits: tuple[SweepVisit, ...]) -> Iterator[str]:
    yield from (one.run_id for one in visits if one.key == BASELINE and one.end is VisitEnd.MEASURED and one.run_id)
    if not visits:
        model = umbrella.workload.options.model
        yield from (
            row.id
            for row in store.list_runs(_NEWEST, leave_out)
            if row.base_url == umbrella.base_url and row.state is RunState.DONE and model in {"", row.model}
        )


def _values(record: SweepRecord) -> dict[str, Value]:
    grammar = grammar_of(record.engine)
    if grammar is None:
        return {}
    words = [word for name, said in record.flags.items() for word in ((name, said) if said else (name,))]
    return dict(normal_form([Word(text=word, line=0) for word in words], grammar).values)
