"""Whoever reads a verdict wants to know what to do now: none ends without a word on it."""

from dataclasses import replace

import pytest
from tests.support.blocks import decided_on

from sparktune.experiment.verdict import Judgement, Verdict
from sparktune.report.ab.words import next_steps


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
