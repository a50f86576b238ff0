"""Whoever reads a verdict wants to know what to do now: none ends without a word on it."""

from dataclasses import replace

import pytest
from tests.support.blocks import GUARDS, decided_on

from sparktune.experiment.result import GuardStatus
from sparktune.experiment.verdict import Judgement, Verdict
from sparktune.flows.earned_accept import why_not
from sparktune.report.ab.steps import next_steps


@pytest.mark.parametrize("verdict", [*Verdict, None])
def test_every_verdict_names_a_next_step(verdict: Verdict | None) -> None:
    assert next_steps(replace(decided_on([1.1, 1.12, 1.11]), verdict=verdict))


def test_too_few_blocks_name_how_many_are_needed() -> None:
    """It was planned so: to go on with it leads nowhere."""
    whole = decided_on([1.1, 1.12])
    plan = replace(whole.experiment, blocks=whole.experiment.blocks[:2])
    result = replace(
        whole, experiment=plan, verdict=None, judgement=Judgement(verdict=None, effect=None, anecdote=True)
    )

    assert next_steps(result) == ("measure it with --max-blocks 3 or more: fewer prove nothing",)
    assert next_steps(replace(result, experiment=whole.experiment)) == ("sparktune ab resume e1",)


@pytest.mark.parametrize("status", GuardStatus)
def test_only_a_win_whose_guards_hold_is_offered_to_be_kept(status: GuardStatus) -> None:
    """``earned accept`` would refuse the others: who follows the line is not to be sent back."""
    won = decided_on([1.10, 1.12, 1.11], guards=GUARDS)
    result = replace(won, guards=(replace(won.guards[0], status=status),))

    assert ("sparktune earned accept e1" in next_steps(result)) is (why_not(result) == "") is (status is GuardStatus.OK)
    assert "sparktune earned accept e1" not in next_steps(replace(result, verdict=Verdict.EQUIVALENT))
