"""What people read of earned settings: unknown is said, secrets are not, and a command stays on one line."""

import json
from dataclasses import replace

import pytest
from tests.support.schemas import promised

from sparktune.drift.stale import Running, judged
from sparktune.model.earned import EarnedEnd, EarnedEntry, EarnedEvidence, EarnedScope
from sparktune.model.experiment_row import ExperimentRow, ExperimentState
from sparktune.report.earned import history_json, history_text, list_json, list_text, show_json, show_text
from sparktune.report.earned.words import value_words

_NAME = "DSPARK_MAX_INFLIGHT_PREFILLS"
_ENTRY = EarnedEntry(
    knob=_NAME,
    value={"env": {_NAME: "2", "HF_TOKEN": "hf_abcdefghijklmnop"}},
    instead_of={"env": {_NAME: "1", "HF_TOKEN": "hf_abcdefghijklmnop"}},
    scope=EarnedScope(service="spark", launcher="compose", model="m", workload="ab12"),
    evidence=EarnedEvidence(
        run="e1",
        date="2026-10-01",
        metric="ttft_max_s",
        better="lower",
        ratio=1.25,
        low=1.1,
        high=1.5,
        confidence=0.99,
        blocks=5,
        blocks_won=4,
        guards={"decode_tok_s": "ok"},
    ),
    file="earned.yaml",
    line=3,
)
_OLD = Running(model="n", launcher="compose", today="2026-11-30")
_ROW = ExperimentRow(
    id="e2",
    created_wall_s=1_795_974_000.0,
    base_url="http://x/v1",
    name="n",
    knob=_NAME,
    metric="ttft_max_s",
    state=ExperimentState.DONE,
    verdict="INCONCLUSIVE",
)


def test_the_list_says_first_how_the_evidence_stands() -> None:
    text = list_text([judged(_ENTRY, _OLD)], 120)
    assert text.splitlines()[0] == "1 earned setting; evidence: 1 stale"
    assert "the model was m then, and is n now" in text
    assert "-20.0 % [-33.3 %, -9.1 %]" in text  # 1.25 times better of a time is 20 % less
    assert "\nmeasure DSPARK_MAX_INFLIGHT_PREFILLS again: sparktune ab --service spark" in text


def test_all_of_one_puts_the_words_of_others_beside_it() -> None:
    """A release that ships another default must not read as if it had overruled what was earned here."""
    text = show_text([judged(_ENTRY, _OLD)], 80)
    assert "what was earned\n  here stays, whatever others ship" in text
    assert "measured on: two DGX Sparks" in text
    assert "measured here on: workload ab12, spark, model m" in text
    assert "5 blocks, 4 of them won" in text
    assert max(len(line) for line in text.splitlines() if not line.startswith("measure ")) <= 85


def test_what_an_entry_does_not_say_is_unknown() -> None:
    bare = replace(_ENTRY, knob="mine", value=3, instead_of=None, scope=EarnedScope(), evidence=EarnedEvidence())
    text = show_text([judged(bare, _OLD)], 80)
    assert "mine: 3, evidence unknown" in text
    assert "found: unknown unknown, confidence unknown" in text
    assert "0" not in text.split("found:")[1].splitlines()[0]
    (told,) = json.loads(list_json([judged(bare, _OLD)], "earned.yaml"))["settings"]
    assert told["evidence"]["ratio"] is None
    assert told["evidence"]["why"]


def test_practice_is_never_taken_for_a_measurement() -> None:
    made_up = replace(_ENTRY, evidence=replace(_ENTRY.evidence, practice="sparktune lab"))
    found = [judged(made_up, replace(_OLD, model="m"))]
    assert "unknown (practice)" in list_text(found, 200)
    assert "made up for practice, no measurement: sparktune lab" in show_text(found, 80)


def test_json_has_state_reasons_and_the_catalogue() -> None:
    (told,) = json.loads(show_json([judged(_ENTRY, _OLD)], "earned.yaml"))["settings"]
    assert (told["state"], told["stale"]) == ("stale", ["the model was m then, and is n now"])
    assert told["knob_of_catalogue"]["id"] == _NAME.lower()


def test_the_history_has_what_counted_and_what_was_never_accepted() -> None:
    gone = replace(_ENTRY, ended=EarnedEnd(how="superseded", date="2026-11-01", by="e3"))
    text = history_text([gone], [_ROW], frozenset({"e1", "e3"}), 160)
    assert text.startswith("1 setting of the past: superseded or forgotten\n")
    assert "superseded by e3 on 2026-11-01" in text
    assert "INCONCLUSIVE  no" in text
    told = promised("earned-history", history_json([gone], [_ROW], frozenset(), "earned.yaml"))
    assert told["history"][0]["ended"]["by"] == "e3"
    assert told["experiments"][0]["kept"] is False


@pytest.mark.parametrize(
    ("value", "beside", "said"),
    [
        (_ENTRY.value, _ENTRY.instead_of, f"{_NAME}=2"),
        ({"env": {"HF_TOKEN": "hf_abcdefghijklmnop"}}, None, "HF_TOKEN=***"),
        ({"flags": {"--x": True, "--y": None}}, {}, "--x --y unset"),
        ({"command": ["serve", "a b"]}, None, "serve 'a b'"),
        (None, None, "unknown"),
        ({}, None, "as it was"),
        ({"env": {"A": "1"}}, {"env": {"A": "1"}}, "as it was"),
        ({"other": 2}, None, "{'other': 2}"),
    ],
)
def test_a_value_is_what_differs_and_has_no_secrets(value: object, beside: object, said: str) -> None:
    assert value_words(value, beside) == said
