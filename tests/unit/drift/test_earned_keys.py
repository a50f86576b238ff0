"""An entry is found by whatever people call its setting: the knob, the variable, a row of drift, the run."""

import pytest

from sparktune.drift.earned_keys import entries_called, knob_of, names_of
from sparktune.model.earned import EarnedEntry, EarnedEvidence

_SEQS = EarnedEntry(
    knob="max_num_seqs",
    value={"flags": {"--max-num-seqs": 8, "--x": 1}},
    instead_of={"flags": {"--max-num-seqs": 4, "--x": 1}},
    evidence=EarnedEvidence(run="261130-e1"),
)
_SLOTS = EarnedEntry(knob="parallel slots", value={"env": {"SLOTS": "4"}}, instead_of={"env": {"SLOTS": "1"}})
_PLAIN = EarnedEntry(knob="by hand", value=3)


@pytest.mark.parametrize(
    ("key", "found"),
    [
        ("max_num_seqs", _SEQS),
        ("--max-num-seqs", _SEQS),
        ("261130-e1", _SEQS),
        ("env.SLOTS", _SLOTS),
        ("slots", _SLOTS),
        ("Parallel Slots", _SLOTS),
        ("by hand", _PLAIN),
    ],
)
def test_every_name_leads_to_it(key: str, found: EarnedEntry) -> None:
    assert entries_called((_SEQS, _SLOTS, _PLAIN), key) == (found,)


@pytest.mark.parametrize("key", ["", "x", "--x", "seqs", "261130"])
def test_what_both_arms_have_and_half_a_name_lead_nowhere(key: str) -> None:
    """Else forgetting "x" would forget what was earned for another setting."""
    assert entries_called((_SEQS, _SLOTS, _PLAIN), key) == ()


def test_a_setting_is_looked_up_in_the_catalogue_by_any_name() -> None:
    assert names_of(_SEQS) == ("max_num_seqs", "--max-num-seqs")
    assert (knob := knob_of(_SEQS)) is not None
    assert knob.id == "max_num_seqs"
    assert knob_of(_SLOTS) is None
