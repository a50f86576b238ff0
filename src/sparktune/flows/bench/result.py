"""From the store to a result: what a bench prints at its end is what ``runs show`` prints a year later."""

__all__ = ["rebuild"]

from collections import Counter

from sparktune.bench.evaluate import evaluate
from sparktune.bench.trial import decode_trial
from sparktune.engines import by_name
from sparktune.io.store.store import Store
from sparktune.model.cell import Cell
from sparktune.model.result import RunResult
from sparktune.model.run import Run
from sparktune.model.trial import Phase, Trial


def rebuild(store: Store, run: Run) -> RunResult:
    """Decode the stored bytes of ``run`` again and evaluate them; its state is read anew.

    Waves that were ended from outside are counted, not decoded. One recorded wave is in memory at a time; what stays is
    16 bytes per output chunk. Raises UnknownRun, StoreError, and UsageError for an engine that this version lacks.
    """
    run = store.load_run(run.id)
    engine = by_name(run.engine.name)
    options = run.workload.options
    trials: list[Trial] = []
    incomplete: Counter[Cell] = Counter()
    for raw in store.trials(run.id):
        if raw.complete:
            trials.append(decode_trial(raw, engine, options))
        elif raw.phase is Phase.MEASURE:
            incomplete[raw.cell] += 1
    return evaluate(
        run,
        trials,
        warmups=store.warmups(run.id),
        incomplete=incomplete,
        cold_reference_tok_s=store.cold_reference(run.base_url, options.model, before_wall_s=run.created_wall_s),
    )
