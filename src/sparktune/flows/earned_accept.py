"""What an experiment of the store has earned, also long after it ended."""

__all__ = ["accepted", "why_not"]

from typing import Any

from sparktune.errors import NotConclusive, UsageError
from sparktune.experiment.result import ExperimentResult
from sparktune.experiment.verdict import Verdict
from sparktune.flows.ab.result import experiment_result
from sparktune.io.earned import earned_entry
from sparktune.io.store.store import Store
from sparktune.report.ab.harm_words import harm_lines
from sparktune.report.ab.words import sentence, unproven_guards


def why_not(result: ExperimentResult) -> str:
    """Return why a result earns nothing, "" when it earns its arm B: it has to be better, with every guard shown."""
    if result.verdict is not Verdict.IMPROVED:
        return sentence(result)
    return unproven_guards(result)


def accepted(store: Store, prefix: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the entry that an experiment of the store earns, and warnings of what its verdict hides.

    Raises NotConclusive with the reason when it earns none, UsageError while it has not ended, and UnknownRun.
    """
    experiment = store.load_experiment(prefix)
    if store.experiment_row(experiment.id).holds:
        message = f"experiment {experiment.id} has not ended: something that it set is still there"
        raise UsageError(message, hint=f"first: sparktune ab resume {experiment.id}")
    result = experiment_result(store, experiment)
    if reason := why_not(result):
        message = f"experiment {experiment.id} earned nothing: {reason}"
        raise NotConclusive(message, hint=f"all of it: sparktune ab show {experiment.id}")
    return earned_entry(result), harm_lines(result.harms)
