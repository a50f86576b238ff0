"""V03: a prompt was sent twice, so that the second one may have been answered from a cache.

Looks at: the digest of the first characters (nonce included) of every request of the run, warm-ups and contexts too.
Warns when: never.
Invalid when: a measured request begins like another request of the run. In a cell with depth a measured request
    repeats its context on purpose: there only streams of one wave, and requests of other cells, are compared. Cells
    whose prompts share prefixes on purpose are compared with nothing.
Unknown when: no wave of the cell finished; or its prompts share prefixes on purpose.
Source: MLPerf inference rules forbid caching of queries between runs of a benchmark; a nonce must stand at the FRONT
    of a prompt, since a suffix leaves the prefix cacheable.
"""

__all__ = ["CHECK"]

from collections import Counter
from collections.abc import Iterable, Sequence

from sparktune.bench.validity._shared import WARM, Finding, make_check
from sparktune.model.check import CellEvidence, RunEvidence, Status
from sparktune.model.trial import Trial
from sparktune.units import count_of

_HINT = "prompts must be unique: is a proxy or a recorded workload in the way? Repeat the run with another seed"


def _judge(cell: CellEvidence, run: RunEvidence) -> Sequence[Finding]:
    if cell.cell.is_warm:
        return [Finding(status=Status.UNKNOWN, evidence=WARM)]
    measured = Counter(_digests(cell.trials))
    elsewhere = _digests(wave for other in run.cells if other.cell != cell.cell for wave in _waves(other))
    repeated = set(elsewhere) & measured.keys()
    if cell.cell.depth:
        for trial in cell.trials:
            repeated |= _more_than_once(Counter(_digests([trial])))
    else:
        repeated |= _more_than_once(measured)
        repeated |= set(_digests((*cell.warmups, *cell.contexts))) & measured.keys()
    total = measured.total()
    if repeated:
        count = sum(measured[digest] for digest in repeated)
        begin = "begins" if count == 1 else "begin"
        evidence = f"{count} of {count_of(total, 'measured prompt')} {begin} like another prompt of this run"
        return [Finding(status=Status.INVALID, evidence=evidence, hint=_HINT)]
    unlike = "no context shared by streams" if cell.cell.depth else "all of them unique in this run"
    return [Finding(status=Status.OK, evidence=f"{count_of(total, 'measured prompt')}, {unlike}")]


def _waves(cell: CellEvidence) -> tuple[Trial, ...]:
    return (*cell.trials, *cell.warmups, *cell.contexts)


def _digests(trials: Iterable[Trial]) -> list[str]:
    return [request.prompt_sha256 for trial in trials for request in trial.requests]


def _more_than_once(digests: Counter[str]) -> set[str]:
    return {digest for digest, count in digests.items() if count > 1}


CHECK = make_check("V03", "prompts unique", _judge)
