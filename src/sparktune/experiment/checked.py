"""All checks of an experiment: its own visits, and the rules that judge anybody's table."""

__all__ = ["checks_of"]

from collections.abc import Sequence
from dataclasses import replace

from sparktune.experiment.blocks import complete_blocks
from sparktune.experiment.checks import all_table_checks
from sparktune.experiment.plan import Experiment
from sparktune.experiment.result import MeasuredVisit
from sparktune.experiment.rules import ANECDOTE_BELOW
from sparktune.experiment.table_of import table_of
from sparktune.experiment.visit_checks import visit_checks
from sparktune.model.check import CheckResult, Status
from sparktune.model.table_check import TableContext

# What too few blocks fail by nature: the word for them is anecdote, and more blocks mend it.
_OF_FEW_BLOCKS = frozenset({"V07", "V08"})
_ONE_SETTING = "V09"
_SEVERITY = (Status.INVALID, Status.WARN, Status.OK, Status.UNKNOWN)


def checks_of(experiment: Experiment, visits: Sequence[MeasuredVisit]) -> tuple[CheckResult, ...]:
    """Return one result per check, by id; of several with one id the most severe."""
    own = visit_checks(experiment, visits)
    voiding = frozenset(check.id for check in own if check.status is Status.INVALID)
    blocks = len(complete_blocks(visits))
    found = list(own)
    if blocks:
        table = table_of(experiment, visits, voiding)
        few = blocks < ANECDOTE_BELOW
        # Two ways to run the same may differ in everything: nothing of it is given the effect.
        skipped = {_ONE_SETTING} if experiment.rules.only_equivalence else set()
        rules = [check for check in all_table_checks() if check.id not in skipped]
        found += [_fitted(check.run(table, TableContext()), few=few) for check in rules]
    worst: dict[str, CheckResult] = {}
    for check in found:
        known = worst.get(check.id)
        worst[check.id] = check if known is None else _worse(known, check)
    return tuple(worst[name] for name in sorted(worst))


def _worse(first: CheckResult, second: CheckResult) -> CheckResult:
    """Return the more severe one; a check of cells that could be made answers for a rule that lacked what it needs."""
    ranks = [_SEVERITY.index(check.status) for check in (first, second)]
    return second if ranks[1] < ranks[0] else first


def _fitted(check: CheckResult, *, few: bool) -> CheckResult:
    if few and check.id in _OF_FEW_BLOCKS and check.status is Status.INVALID:
        return replace(check, status=Status.WARN)
    return check
