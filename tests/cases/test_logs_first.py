"""Which failure of several logs came first: never one that only follows, and never surer than clocks allow."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.log_texts import scan_text
from tests.support.yaml_cases import load_yaml

from sparktune.logs.clocks import clocks_ahead
from sparktune.logs.judge import log_report
from sparktune.model.log import LogView

_CASES: dict[str, dict[str, Any]] = load_yaml(Path(__file__).parent / "logs_first.yaml")


@pytest.mark.parametrize("name", _CASES)
def test_first(name: str) -> None:
    case = _CASES[name]
    logs = [scan_text(text, f"{node}.log", "" if node.endswith("!") else node) for node, text in case["logs"].items()]
    report = log_report(LogView(logs=tuple(logs), ahead_s=clocks_ahead(logs, case.get("ahead"))))
    expect, first = case["expect"], report.first

    assert expect.get("trend_has", "") in "\n".join(report.trend)
    if expect["id"] == "none":
        assert first is None
        return
    assert first is not None
    assert (first.event.signature.id if first.event.signature else "unknown") == expect["id"]
    assert first.log.node == expect.get("node", "")
    assert first.sure is expect["sure"], first.why
    assert expect.get("why_has", "") in first.why
    assert not any(event is first.event for _, event in report.later)
