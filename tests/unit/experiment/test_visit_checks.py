"""What voids an experiment, and what one noisy wave may not void."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.support.experiments import CELLS, experiment, visit

from sparktune.experiment.checked import checks_of
from sparktune.experiment.design import Arm
from sparktune.experiment.plan import VisitState
from sparktune.experiment.result import MeasuredVisit
from sparktune.experiment.table_of import table_of
from sparktune.experiment.visit_checks import cell_checks, live_checks
from sparktune.model.check import CheckResult, Status

VALUES = {cell: {"output_tok_s": (100.0, 101.0, 99.0)} for cell in CELLS}


def _visits(blocks: int, flagged: Sequence[tuple[int, Arm]] = (), check_id: str = "V01") -> list[MeasuredVisit]:
    """Return visits of whole blocks; those that are flagged have a cell that is invalid by the check."""
    made = []
    for number in range(1, blocks + 1):
        for place, arm in enumerate(Arm):
            status = Status.INVALID if (number, arm) in flagged else Status.OK
            made.append(_with_check(visit(number, arm, VALUES, place=place), check_id, status))
    return made


def _with_check(one: MeasuredVisit, check_id: str, status: Status) -> MeasuredVisit:
    assert one.result is not None
    first, *rest = one.result.cells
    check = CheckResult(id=check_id, status=status, evidence="as it is", hint="do this")
    return replace(one, result=replace(one.result, cells=(replace(first, checks=(check,)), *rest)))


def _live(one: MeasuredVisit, before: dict[str, str], after: dict[str, str] | None = None) -> MeasuredVisit:
    record = replace(one.record, live_before=before, live_after=before if after is None else after)
    return replace(one, record=record)


@pytest.mark.parametrize("check_id", ["V01", "V02", "V03", "V06", "V19", "V21"])
def test_what_was_compared_voids_from_one_visit(check_id: str) -> None:
    (check,) = cell_checks(experiment(), _visits(3, [(2, Arm.B)], check_id))
    assert check.status is Status.INVALID
    assert check.evidence.startswith("block 2, arm B, pp64 tg32 c1: as it is")


@pytest.mark.parametrize("check_id", ["V10", "V14", "V20"])
def test_one_noisy_wave_is_a_warning_which_the_median_holds(check_id: str) -> None:
    """Two hours of measuring are not lost to one request of somebody else."""
    (check,) = cell_checks(experiment(), _visits(3, [(2, Arm.B)], check_id))
    assert check.status is Status.WARN
    assert "the median over 3 trials holds" in check.evidence


def test_a_single_trial_has_no_median_that_would_hold() -> None:
    plan = experiment()
    plan = replace(plan, workload=replace(plan.workload, trials=1))
    (check,) = cell_checks(plan, _visits(3, [(2, Arm.B)], "V20"))
    assert check.status is Status.INVALID


def test_a_neighbour_that_comes_back_is_no_accident() -> None:
    (check,) = cell_checks(experiment(), _visits(3, [(1, Arm.A), (3, Arm.B)], "V20"))
    assert check.status is Status.INVALID
    assert "(and in 1 more visits)" in check.evidence


@pytest.mark.parametrize(
    ("flagged", "status"),
    [
        ([(1, Arm.B), (2, Arm.B)], Status.WARN),
        ([(1, Arm.A), (2, Arm.B), (3, Arm.A), (4, Arm.B)], Status.WARN),
        ([(1, Arm.B), (2, Arm.B), (3, Arm.B)], Status.WARN),
        ([(1, Arm.B), (2, Arm.B), (3, Arm.B), (5, Arm.B)], Status.INVALID),
    ],
)
def test_an_arm_that_mostly_starts_cold_voids(flagged: list[tuple[int, Arm]], status: Status) -> None:
    """A slow first wave of three is common by chance, in a fifth of visits; in four of five of one arm it is not."""
    (check,) = cell_checks(experiment(), _visits(5, flagged, "V10"))
    assert check.status is status


def test_three_visits_of_three_are_enough_for_a_cold_start() -> None:
    (check,) = cell_checks(experiment(), _visits(3, [(1, Arm.B), (2, Arm.B), (3, Arm.B)], "V10"))
    assert check.status is Status.INVALID


def test_what_is_only_a_warning_in_cells_is_one_here() -> None:
    made = _visits(3)
    made[2] = _with_check(made[2], "V04", Status.WARN)
    found = {check.id: check for check in cell_checks(experiment(), made)}
    assert found["V04"].status is Status.WARN
    assert found["V01"].status is Status.OK
    assert found["V01"].evidence == "ok in 5 cells of 5 visits"


def test_an_arm_that_was_not_live_voids_as_v09() -> None:
    refused = visit(1, Arm.B, VALUES, state=VisitState.REFUSED, why="total_slots is 1, not 4")
    (check,) = live_checks([refused])
    assert (check.id, check.status) == ("V09", Status.INVALID)
    assert "total_slots is 1, not 4" in check.evidence


def test_a_setting_that_changed_during_a_visit_voids_as_v18() -> None:
    changed = _live(visit(2, Arm.A, VALUES, state=VisitState.VOID), {"slots": "2"}, {"slots": "1"})
    (check,) = live_checks([changed])
    assert check.id == "V18"
    assert "slots went from 2 to 1" in check.evidence


def test_a_setting_that_changed_between_visits_of_an_arm_voids_as_v18() -> None:
    made = [_live(one, {"slots": one.record.arm.value}) for one in _visits(2)]
    made[3] = _live(made[3], {"slots": "9"})
    (check,) = live_checks(made)
    assert "arm B: slots went from B to 9 from block 1 to block 2" in check.evidence


def test_visits_without_a_word_against_them_have_none() -> None:
    assert live_checks([_live(one, {"slots": one.record.arm.value}) for one in _visits(3)]) == ()


def test_too_few_blocks_are_an_anecdote_and_not_invalid() -> None:
    """One has a word of its own, and more blocks mend it; an invalid experiment is over."""
    found = {check.id: check.status for check in checks_of(experiment(), _visits(2))}
    assert found["V07"] is not Status.INVALID
    assert found["V08"] is not Status.INVALID


def test_the_rules_of_tables_judge_our_experiments_too() -> None:
    found = {check.id: check for check in checks_of(experiment(), _visits(3))}
    assert {"V04", "V07", "V08", "V09", "V16", "V18"} <= set(found)
    assert found["V07"].status is Status.OK


def test_what_a_cell_could_answer_is_not_unknown() -> None:
    found = {check.id: check for check in checks_of(experiment(), _visits(3, check_id="V01"))}
    assert found["V01"].status is Status.OK


def _commands(first: str, second: str, rest: dict[str, str] | None = None) -> list[MeasuredVisit]:
    made = []
    for one in _visits(3):
        live = {"command": first if one.record.arm is Arm.A else second, **(rest or {})}
        if one.record.arm is Arm.B and rest:
            live = {**live, **{name: f"{value}!" for name, value in rest.items()}}
        wanted = {"command": live["command"]}
        made.append(replace(one, record=replace(one.record, live_before=live, live_after=live, live_wanted=wanted)))
    return made


def test_all_views_of_the_knob_are_one_setting() -> None:
    """The command line says --parallel 4 and the server says 4 slots: that is one difference, not two."""
    made = [
        replace(one, record=replace(one.record, live_wanted=dict(one.record.live_before)))
        for one in _commands("serve --parallel 1", "serve --parallel 4", {"slots": "x"})
    ]
    table = table_of(experiment(), made, frozenset())
    assert table.settings["A"]["parallel slots"] == "--parallel 1 slots x"
    assert table.settings["B"]["parallel slots@end"] == "--parallel 4 slots x!"
    assert table.settings["A"]["word 0"] == "serve"
    found = {check.id: check.status for check in checks_of(experiment(), made)}
    assert found["V09"] is Status.OK


def test_a_difference_that_nobody_declared_is_found() -> None:
    made = _commands("serve --parallel 1", "serve --parallel 4", {"governor": "x"})
    found = {check.id: check for check in checks_of(experiment(), made)}
    assert found["V09"].status is Status.INVALID
    assert "governor" in found["V09"].evidence


def test_a_table_has_every_trial_in_its_order() -> None:
    table = table_of(experiment(), _visits(3), frozenset())
    assert len(table.rows) == 3 * 2 * 2 * 3
    assert table.order == ("A", "B") * 3
    assert {(row.block, row.arm, row.trial) for row in table.rows} == {
        (block, arm, trial) for block in (1, 2, 3) for arm in ("A", "B") for trial in range(3)
    }


@pytest.mark.parametrize(
    ("after", "evidence"),
    [
        ({"slots": "unread", "spec": "3"}, "slots could not be read after the trials"),
        ({"spec": "3"}, "slots could not be read after the trials"),
        ({"spec": "5"}, "slots went from 1 to unread; spec went from 3 to 5 during the visit"),
        ({"slots": "2", "spec": "3"}, "slots went from 1 to 2 during the visit"),
        ({"slots": "1", "spec": "3", "live": "no"}, "live went from unread to no during the visit"),
    ],
)
def test_what_was_not_read_again_is_not_called_a_change(after: dict[str, str], evidence: str) -> None:
    """Nobody should look for the one who changes a setting, where a server only did not answer."""
    (check,) = live_checks([_live(visit(1, Arm.A, VALUES), {"slots": "1", "spec": "3"}, after)])
    assert check.status is Status.INVALID
    assert check.evidence == f"block 1, arm A: {evidence}"


def test_which_start_of_a_service_was_read_is_no_setting() -> None:
    """Every visit starts its service anew; only within a visit another start is another service."""
    made = []
    for place, one in enumerate(_visits(3)):
        slots = {"serve: --slots": "1" if one.record.arm is Arm.A else "4"}
        live = {**slots, "serve: started": f"pid {place}"}
        made.append(replace(one, record=replace(one.record, live_before=live, live_after=live, live_wanted=slots)))
    assert live_checks(made) == ()
    found = {check.id: check.status for check in checks_of(experiment(), made)}
    assert found["V09"] is Status.OK
    another = replace(made[0].record, live_after={**made[0].record.live_before, "serve: started": "pid 99"})
    (check,) = live_checks([replace(made[0], record=another), *made[1:]])
    assert check.id == "V18"
    assert "serve: started went from pid 0 to pid 99 during the visit" in check.evidence
