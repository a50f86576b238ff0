"""V19: requests failed, so that the waves were not what the row says.

Looks at: failures of measured, context and warm-up requests, and the number of streams of each measured wave.
Warns when: only warm-up or context requests failed.
Invalid when: a measured request failed, a wave had fewer streams than the cell, or no wave of the cell finished. All
    streams must finish: a wave that loses one has another concurrency, and no number can speak for the lost one.
Unknown when: never.
Source: failed requests in the statistics of a load tool: github.com/vllm-project/guidellm issue 444.
"""

__all__ = ["CHECK"]

from collections import Counter
from collections.abc import Iterable

from sparktune.model.check import CellEvidence, Check, CheckResult, RunEvidence, Status
from sparktune.model.trial import Trial
from sparktune.units import count_of

_ID = "V19"
_HINT = "the result lists what each failure said; mend the cause and repeat, no number stands for failed requests"
_UNREACHED = "go on with the run, or measure this cell again"


def _run(cell: CellEvidence, _evidence: RunEvidence) -> CheckResult:
    if not cell.trials:
        return CheckResult(
            id=_ID, status=Status.INVALID, evidence="no measured wave of this cell finished", hint=_UNREACHED
        )
    total = sum(len(trial.requests) for trial in cell.trials)
    failed = _failures(cell.trials)
    if failed:
        evidence = f"{failed.total()} of {count_of(total, 'request')} failed: {_listed(failed)}"
        return CheckResult(id=_ID, status=Status.INVALID, evidence=evidence, hint=_HINT)
    short = [trial for trial in cell.trials if len(trial.requests) != cell.cell.streams]
    if short:
        noun = "requests" if cell.cell.is_mix else "streams"
        evidence = f"{len(short)} of {count_of(len(cell.trials), 'wave')} had not {cell.cell.streams} {noun}"
        return CheckResult(id=_ID, status=Status.INVALID, evidence=evidence, hint=_HINT)
    before = _failures((*cell.warmups, *cell.contexts))
    if before:
        evidence = f"all {count_of(total, 'request')} completed, but before: {_listed(before)} in warm-up or context"
        return CheckResult(id=_ID, status=Status.WARN, evidence=evidence, hint=_HINT)
    return CheckResult(id=_ID, status=Status.OK, evidence=f"all {count_of(total, 'request')} completed")


def _failures(trials: Iterable[Trial]) -> Counter[str]:
    requests = [request for trial in trials for request in trial.requests]
    return Counter(request.timeline.failure.type.value for request in requests if request.timeline.failure)


def _listed(failures: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in failures.most_common())


CHECK = Check(id=_ID, title="no request failed", run=_run)
