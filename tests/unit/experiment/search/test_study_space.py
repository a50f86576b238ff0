"""A sweep as a part of a study: two that compare the same share it, and two that do not never meet in it."""

from dataclasses import replace

import pytest
from tests.support import swept

from sparktune.experiment.search.study_space import learned_by, proposals_of, study_space
from sparktune.model.sweep import BASELINE, KnobRange

_RESULT = swept.won()
_RECORD, _EXPERIMENT = _RESULT.record, _RESULT.experiment
_SPACE = study_space(_RECORD, _EXPERIMENT)


def test_the_baseline_comes_first_and_every_value_once() -> None:
    assert _SPACE.choices["max_num_seqs"] == ("8", "16", "32", "4", "64")
    assert _SPACE.baseline == {"max_num_seqs": "8", "num_speculative_tokens": "5", "attention_backend": "FLASHINFER"}


def test_the_order_in_which_values_were_given_does_not_matter() -> None:
    """Optuna refuses a space whose choices are in another order; people give them in any."""
    ranges = tuple(replace(one, values=one.values[::-1]) for one in reversed(_RECORD.plan.ranges))
    assert study_space(replace(_RECORD, plan=replace(_RECORD.plan, ranges=ranges)), _EXPERIMENT) == _SPACE


@pytest.mark.parametrize("what", ["baseline", "values", "engine", "primary", "workload"])
def test_what_cannot_be_compared_has_a_study_of_its_own(what: str) -> None:
    """A ratio to another baseline, of another model or under another load, is another number."""
    record, experiment = _RECORD, _EXPERIMENT
    if what in {"baseline", "values"}:
        first = record.plan.ranges[0]
        other = replace(first, baseline="2") if what == "baseline" else replace(first, values=first.values[:2])
        record = replace(record, plan=replace(record.plan, ranges=(other, *record.plan.ranges[1:])))
    elif what == "engine":
        record = replace(record, engine="sglang")
    elif what == "primary":
        experiment = replace(experiment, primary=replace(experiment.primary, metric="ttft_s"))
    else:
        cells = experiment.workload.cells[:1]
        experiment = replace(experiment, workload=replace(experiment.workload, cells=cells))
    assert study_space(record, experiment).name != _SPACE.name


def test_proposals_are_configurations_that_the_plan_does_not_have() -> None:
    new = {**_SPACE.baseline, "max_num_seqs": "16", "num_speculative_tokens": "3"}
    known = {**_SPACE.baseline, "max_num_seqs": "16"}
    pruned = {**_SPACE.baseline, "num_speculative_tokens": "7"}

    found = proposals_of([_SPACE.baseline, known, pruned, new, new], _SPACE, _RECORD.plan)

    assert [one.key for one in found] == ["max_num_seqs=16 num_speculative_tokens=3"]


def test_a_value_that_was_not_set_is_moved_when_it_is() -> None:
    ranges = (KnobRange(knob="k", values=("1", "2")),)
    record = replace(_RECORD, plan=replace(_RECORD.plan, ranges=ranges, screened=(), pruned=()))
    space = study_space(record, _EXPERIMENT)

    assert space.choices == {"k": ("", "1", "2")}
    assert [one.key for one in proposals_of([{"k": ""}, {"k": "2"}], space, record.plan)] == ["k=2"]


def test_what_did_not_run_or_was_beyond_a_limit_is_learned_as_a_failure() -> None:
    learned = {one.key: one for one in learned_by(_RESULT.known, _SPACE)}

    assert learned[BASELINE].log_ratio == 0.0
    assert learned["max_num_seqs=64"].failed == "the start failed: No available memory"
    assert (learned["max_num_seqs=32"].log_ratio, learned["max_num_seqs=32"].failed) == (None, "ttft_max_s<=8 is 12.5")
    assert learned["max_num_seqs=16"].log_ratio == pytest.approx(0.205, abs=1e-3)
    assert learned["max_num_seqs=16"].values == {**_SPACE.baseline, "max_num_seqs": "16"}
