"""Answers to the battery and texts of the canary, as data: what is right, and what looks broken."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.yaml_cases import load_yaml

from sparktune.bench.quality.battery import BATTERY
from sparktune.bench.quality.garble import garbled
from sparktune.bench.quality.judge import judge_reply
from sparktune.bench.quality.reply import Call, Reply

_FOLDER = Path(__file__).parent / "quality"
_ITEMS = {item.id: item for item in BATTERY}


def _cases(name: str) -> list[Any]:
    return [pytest.param(case, id=case["name"]) for case in load_yaml(_FOLDER / name)]


@pytest.mark.parametrize("case", _cases("judge.yaml"))
def test_an_answer_is_right_or_says_what_is_wrong(case: dict[str, Any]) -> None:
    calls = tuple(Call(name=name, arguments=arguments) for name, arguments in case.get("calls", ()))
    reply = Reply(text=case.get("text", ""), calls=calls, finish=case["finish"])
    result = judge_reply(_ITEMS[case["item"]], reply)
    assert result.state.value == case["state"], result.why
    assert case.get("why", "") in result.why
    assert bool(result.why) is (case["state"] != "pass")


@pytest.mark.parametrize("case", _cases("garble.yaml"))
def test_a_text_looks_broken_or_not(case: dict[str, Any]) -> None:
    found = garbled(case["text"])
    assert case["garbled"] in found
    assert bool(found) is bool(case["garbled"]), found
