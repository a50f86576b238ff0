"""What the experiment that confirms a winner is called: its entry in earned.yaml has that name."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from tests.support.swept import won

from sparktune.experiment.design import Arm
from sparktune.flows.sweep.confirm import confirmation
from sparktune.model.sweep import Candidate


@pytest.mark.parametrize(
    ("values", "knob"),
    [
        ({"env:LIMIT": "2"}, "LIMIT"),
        ({"max_num_seqs": "16"}, "--max-num-seqs"),
        ({"env:LIMIT": "2", "max_num_seqs": "16"}, "LIMIT, --max-num-seqs"),
    ],
    ids=["a variable", "a flag", "both"],
)
def test_a_setting_has_the_name_that_people_write(values: Mapping[str, str], knob: str) -> None:
    """As ``LIMIT=`` it would stand beside an entry for LIMIT, and supersede nothing."""
    result = won()
    record = replace(result.record, baseline={}, engine="vllm", flags={}, live={})
    umbrella = replace(result.experiment, launcher="script", arms={arm: {} for arm in Arm})
    winner = Candidate(key="winner", values=values)

    confirms = confirmation(record, umbrella, winner, experiment_id="1", created_wall_s=0.0, draw=lambda: 0.5)

    assert sorted(confirms.knob.split(", ")) == sorted(knob.split(", "))
