"""``--study``: configurations that a shared study proposes to a sweep, and what the sweep tells it in the end."""

__all__ = ["proposer", "tell_study", "withdraw"]

import sys
from collections.abc import Callable

from sparktune.errors import SparktuneError
from sparktune.experiment.plan import Experiment
from sparktune.experiment.search import estimates
from sparktune.experiment.search.study_space import learned_by, proposals_of, study_space
from sparktune.io.store.store import Store
from sparktune.io.study import SharedStudy, shown_address
from sparktune.model.sweep import Candidate
from sparktune.model.sweep_record import SweepRecord

_Proposer = Callable[[SweepRecord], tuple[Candidate, ...]]


def proposer(address: str, count: int, experiment: Experiment) -> _Proposer | None:
    """Return what asks the study for configurations, None without an address. It raises as ``SharedStudy.open``."""
    if not address:
        return None

    def propose(record: SweepRecord) -> tuple[Candidate, ...]:
        space = study_space(record, experiment)
        with SharedStudy.open(address, space, record.id) as study:
            planned = [{**space.baseline, **one.values} for one in record.plan.screened]
            return proposals_of(study.ask(count, planned), space, record.plan)

    return propose


def withdraw(address: str, record: SweepRecord, experiment: Experiment) -> None:
    """Give back what was proposed to a sweep that is not started after all."""
    with SharedStudy.open(address, study_space(record, experiment), record.id) as study:
        study.tell(())


def tell_study(address: str, store: Store, record: SweepRecord, experiment: Experiment) -> None:
    """Tell the study what every configuration came to, and say so; one that is gone does not end the sweep."""
    space = study_space(record, experiment)
    learned = learned_by(estimates(record.plan, store.sweep_visits(record.id)), space)
    try:
        with SharedStudy.open(address, space, record.id) as study:
            told = study.tell(learned)
    except SparktuneError as error:
        sys.stderr.write(f"the study was not told: {error}\nhint: sparktune sweep resume {record.id} --study URL\n")
        return
    sys.stderr.write(f"told the study at {shown_address(address)} of {told} configurations\n")
