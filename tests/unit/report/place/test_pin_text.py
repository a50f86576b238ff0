"""What a person reads of a pin: the better fix before the plan, and afterwards what the kernel shows.

A thread that a cpuset left on other CPUs than agreed must not be told as pinned.
"""

from dataclasses import replace
from typing import Any

import pytest
from tests.support.pin_views import pin_poller, pin_seen, pin_wish
from tests.support.schemas import promised

from sparktune.errors import ExitCode
from sparktune.flows.host.outcome import HostOutcome
from sparktune.flows.place.pin import NodePinned, PinOutcome
from sparktune.flows.place.scan import NodeScan
from sparktune.host.pinning.plan import plan_pins
from sparktune.model.host_plan import Refusal
from sparktune.model.node_report import NodeReport, NodeState
from sparktune.model.transaction import TransactionOutcome
from sparktune.report.place import pin_json, pin_text

_WANTED = "0-4,10-14"


def _node(poller: dict[str, Any] | None = None, wish: dict[str, Any] | None = None) -> NodePinned:
    pins = plan_pins("spark2", [pin_poller(poller or {})], pin_wish(wish or {}), pin_seen({}, "ggml-rpc-server"))
    return NodePinned(node="spark2", scan=NodeScan(node="spark2"), pins=pins)


def _done(now: dict[int, str], **report: Any) -> NodePinned:  # noqa: ANN401 - fields of the report
    outcome = TransactionOutcome(transaction="0007-x", state="committed")
    given = {"state": NodeState.APPLIED, "outcome": outcome, **report}
    return replace(_node(), report=NodeReport(node="spark2", **given), now=now)


def _exit(node: NodePinned) -> ExitCode:
    applied = HostOutcome(verb="apply", reports=(node.report,)) if node.report is not None else None
    return PinOutcome(nodes=(node,), applied=applied).exit_code


def test_the_better_fix_comes_before_the_move_and_its_way_back() -> None:
    lines = pin_text([_node()]).splitlines()
    assert lines[0] == f"spark2: 1 thread would get CPUs {_WANTED}"
    text = "\n".join(lines)
    assert text.index("better first: update llama.cpp") < text.index(f"move: CPUs 0-19 -> {_WANTED}")
    assert "rule: a thread ggml-rpc-server of ggml-rpc-server that polls while its others rest: CPUs" in text
    assert "installs: /etc/systemd/system/sparktune-place.service, /etc/systemd/system/sparktune-place.timer" in text
    assert lines[-1] == "nothing was changed; without --dry-run this asks, and then does it"


def test_what_nothing_would_do_is_not_promised() -> None:
    node = _node()
    assert node.pins is not None
    plan = replace(node.pins.plan, refusals=(Refusal(change="place", reason="no systemd", hint="--once"),))
    text = pin_text([replace(node, pins=replace(node.pins, plan=plan))])
    assert "no systemd" in text
    assert "without --dry-run" not in text


_AFTER = [
    ("as agreed", {11: _WANTED}, "1 thread is pinned (transaction 0007-x)", f"read back {_WANTED}", ExitCode.DONE),
    ("cut by a cpuset", {11: "3"}, "0 of 1 threads are pinned", "BUT READ BACK 3", ExitCode.DIFFERENCES),
    ("ended meanwhile", {}, "0 of 1 threads are pinned", "it has ended meanwhile", ExitCode.DIFFERENCES),
]


@pytest.mark.parametrize(("_why", "now", "verdict", "said", "code"), _AFTER, ids=[one[0] for one in _AFTER])
def test_afterwards_the_kernel_has_the_word(
    _why: str, now: dict[int, str], verdict: str, said: str, code: ExitCode
) -> None:
    node = _done(now)
    text = pin_text([node], where="--nodes spark2")
    assert verdict in text.splitlines()[0]
    assert said in text
    assert "sparktune place unpin --nodes spark2" in text
    assert _exit(node) is code


def test_a_node_that_took_it_back_says_so() -> None:
    node = _done(
        {11: "0-19"}, state=NodeState.ROLLED_BACK, failure="spark2: step 4 failed; all was taken back", hint="h"
    )
    assert pin_text([node]).splitlines()[:2] == ["spark2: rolled back: step 4 failed; all was taken back", "  fix: h"]
    assert _exit(node) is ExitCode.FAILED


def test_what_is_left_says_why_and_what_to_do_and_is_no_success() -> None:
    node = _node({"windows": {"idle": None}})
    text = pin_text([node])
    assert text.splitlines()[0] == "spark2: no thread to move; 1 thread left"
    assert "--accept-likely" in text
    assert _exit(node) is ExitCode.DIFFERENCES
    assert _exit(_node({"allowed": "10-14"})) is ExitCode.DONE, "it is where it should be"


def test_a_name_that_no_thread_has_is_no_success() -> None:
    """A misspelt name must not end a script with 0."""
    outcome = PinOutcome(nodes=(NodePinned(node="spark2", scan=NodeScan(node="spark2")),), missing="no such thread")
    assert outcome.exit_code is ExitCode.FAILED


def test_a_node_without_an_answer_fails_the_command() -> None:
    node = NodePinned(node="spark2", scan=NodeScan(node="spark2"), failure="spark2 did not answer", hint="ping it")
    assert pin_text([node]).splitlines() == ["spark2: not told: spark2 did not answer", "  fix: ping it"]
    assert _exit(node) is ExitCode.FAILED


def test_json_has_the_threads_with_their_rule_and_what_was_read_back() -> None:
    document = promised("place-pin", pin_json([_done({11: _WANTED})]))
    (node,) = document["nodes"]
    assert (document["schema"], node["state"], node["transaction"]) == (1, "applied", "0007-x")
    (pin,) = node["pins"]
    assert (pin["tid"], pin["from"], pin["to"], pin["now"]) == (11, "0-19", _WANTED, _WANTED)
    assert pin["rule"]["which"] == "busy"


def test_a_name_cannot_steer_the_terminal() -> None:
    text = pin_text([_node({"name": "x\x1b[2Jy", "process": "rpc-server"})])
    assert "\x1b" not in text
