"""The catalogue keeps its own rules, whatever is added to it."""

import pytest

from sparktune.bench import metrics
from sparktune.deploy.knob_names import knob_named, matching, nearest
from sparktune.deploy.knobs import all_knobs
from sparktune.model.knob import Knob
from sparktune.model.metric import Metric
from sparktune.plugins import load_plugins

_KNOBS = all_knobs()
_IDS = {knob.id for knob in _KNOBS}
_METRICS = {metric.name for metric in load_plugins(metrics, "METRIC", Metric)}


@pytest.mark.parametrize("knob", _KNOBS, ids=lambda knob: knob.id)
def test_what_a_knob_says_can_be_followed(knob: Knob) -> None:
    """A name that leads nowhere, a metric that does not exist or an effect without a source helps nobody."""
    assert knob.places
    assert knob.source
    assert {one.other for one in knob.interactions} <= _IDS - {knob.id}
    assert set(knob.measure) <= _METRICS | {"temperature", "power", "none"}
    for effect in knob.effects:
        assert effect.source, effect.what
        assert effect.conditions, effect.what
        if effect.measured:
            assert any(letter.isdigit() for letter in effect.what), f"measured, without a number: {effect.what}"
    if knob.least is not None and knob.most is not None:
        assert knob.least <= knob.most


def test_a_name_belongs_to_one_knob() -> None:
    """Whoever types a flag means one thing."""
    assert len(_IDS) == len(_KNOBS)
    owners: dict[tuple[str, str], str] = {}
    for knob in _KNOBS:
        for place in knob.places:
            assert owners.setdefault((place.engine, place.name), knob.id) == knob.id


@pytest.mark.parametrize("name", ["max_num_seqs", "--max-num-seqs", "MAX-NUM-SEQS", "LLAMA_ARG_N_PARALLEL"])
def test_a_knob_is_found_by_any_of_its_spellings(name: str) -> None:
    found = knob_named(_KNOBS, name)
    assert found is not None
    assert found.id == "max_num_seqs"


def test_a_misspelt_name_has_neighbours() -> None:
    assert knob_named(_KNOBS, "max_num_sequences") is None
    assert "max_num_seqs" in nearest(_KNOBS, "max_num_seq")


def test_words_and_engine_narrow_the_list() -> None:
    assert "max_num_seqs" in {knob.id for knob in matching(_KNOBS, ("SEQUENCES", "queue"), "vllm")}
    assert not matching(_KNOBS, ("no such word anywhere",), "")
