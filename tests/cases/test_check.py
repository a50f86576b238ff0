"""Tables that people published, written down from their articles, and what can be concluded of them."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.schemas import promised
from tests.support.trials import refuse_unknown
from tests.support.yaml_cases import load_yaml

from sparktune.flows.check import check_files
from sparktune.report.check import check_json, check_text

_FOLDER = Path(__file__).parent / "check"
_CASES = sorted(path.stem for path in _FOLDER.glob("*.csv"))
_KEYS = frozenset({"why", "verdict", "checks", "left_out", "effects", "text", "absent"})


@pytest.mark.parametrize("name", _CASES)
def test_published_table(name: str) -> None:
    case = load_yaml(_FOLDER / f"{name}.yaml")
    refuse_unknown(case, _KEYS)

    judgement = check_files([_FOLDER / f"{name}.csv"])
    found = promised("check", check_json(judgement))

    assert found["verdict"] == case["verdict"], found["why"]
    _check_rules(found, case["checks"])
    assert len(found["excluded"]) == case["left_out"]
    for wanted, effect in zip(case["effects"], [*found["effects"], *found["observed"]], strict=True):
        _check_effect(effect, wanted)
    text = " ".join(check_text(judgement, width=100).split())
    assert [part for part in case["text"] if part not in text] == []
    assert [part for part in case.get("absent", ()) if part in text] == []


def _check_rules(found: dict[str, Any], wanted: dict[str, list[str]]) -> None:
    checks = {check["id"]: check for check in found["checks"]}
    for check_id, (status, *parts) in wanted.items():
        assert checks[check_id]["status"] == status, checks[check_id]
        assert [part for part in parts if part.lower() not in checks[check_id]["evidence"].lower()] == [], checks[
            check_id
        ]
    unexpected = [
        check["id"] for check in found["checks"] if check["status"] == "invalid" and check["id"] not in wanted
    ]
    assert unexpected == []


def _check_effect(effect: dict[str, Any], wanted: dict[str, Any]) -> None:
    for key, value in wanted.items():
        if key == "words":
            assert value in effect["words"]
        elif isinstance(value, float):
            assert effect[key] == pytest.approx(value, abs=5e-4), effect
        else:
            assert effect[key] == value, effect
