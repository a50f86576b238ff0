"""The JSON of ``host``: its members are a contract that scripts rely on."""

import json
from typing import Any

import pytest
from tests.support.host_reports import (
    applied_report,
    broken_report,
    checked_report,
    pending_plan,
    refused_plan,
    reverted_report,
    status_report,
)

from sparktune.model.node_report import NodeReport
from sparktune.report.host import host_json

_STATUSES = {"OK", "DIFFERENT", "ABSENT", "UNREADABLE", "PENDING_REBOOT"}
_REPORTS = {
    "plan": (pending_plan("spark1"), refused_plan("spark2")),
    "apply": (applied_report("spark1"), broken_report("spark2")),
    "verify": (checked_report(),),
    "revert": (reverted_report(),),
    "status": (status_report(),),
}


def _document(verb: str, *reports: NodeReport) -> dict[str, Any]:
    return json.loads(host_json(reports, verb=verb))  # type: ignore[no-any-return]


@pytest.mark.parametrize("verb", _REPORTS)
def test_every_verb_has_the_members_of_the_contract(verb: str) -> None:
    document = _document(verb, *_REPORTS[verb])

    assert document["schema"] == 1
    for node in document["nodes"]:
        assert isinstance(node["node"], str)
        for step in node["steps"]:
            assert {"change", "target", "from", "to", "takes_effect"} <= step.keys()
            assert step["takes_effect"] in {"live", "restart", "reboot"}
        for check in node["checks"]:
            assert {"change", "target", "wanted", "effective", "status"} <= check.keys()
            assert check["status"] in _STATUSES


def test_all_84_vectors_are_there() -> None:
    """Text groups them; a script wants to compare each."""
    (node,) = _document("plan", pending_plan())["nodes"]

    assert sum(step["change"] == "irq-affinity" for step in node["steps"]) == 84


def test_a_refusal_says_what_accepts_it() -> None:
    (node,) = _document("plan", refused_plan())["nodes"]

    assert [refusal["allow"] for refusal in node["refusals"]] == ["--allow-slow", None]


def test_nobody_takes_a_node_that_was_not_asked_for_a_good_one() -> None:
    """An empty list of checks must not read as: all is well."""
    (node,) = _document("plan", NodeReport(node="spark1", failure="spark1: unreachable", hint="try ssh spark1"))[
        "nodes"
    ]

    assert (node["planned"], node["verified"]) == (False, False)
    assert (node["error"], node["hint"]) == ("spark1: unreachable", "try ssh spark1")


def test_a_foreign_edit_has_both_values() -> None:
    (node,) = _document("revert", reverted_report())["nodes"]

    item = node["undone"][0]["steps"][0]["items"]["/proc/sys/vm/swappiness"]
    assert (item["outcome"], item["found"], item["wanted"]) == ("foreign", "30", "10")


def test_times_are_seconds_and_unknown_ones_null() -> None:
    (node,) = _document("status", status_report())["nodes"]

    last = node["transactions"][-1]
    assert (last["began_s"], last["confirm_by_s"]) == (1_796_007_200.0, None)
    assert [one["state"] for one in node["transactions"]] == ["reverted", "committed", "committed"]
