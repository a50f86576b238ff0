"""Plans of place pin: which thread goes where, by which rule, and what is refused with which way out.

``pins/plans.yaml``: ``pollers`` differ from an RPC server of llama.cpp that polls RDMA on CPU 7 of a GB10 (thread 11 of
process 10); ``process`` and ``node`` from what is seen of it there; ``wish`` is what was asked for.
"""

from pathlib import Path
from typing import Any

import pytest
from tests.support.pin_views import pin_poller, pin_seen, pin_wish
from tests.support.trials import refuse_unknown
from tests.support.yaml_cases import yaml_cases

from sparktune.host.cpulist import format_cpulist
from sparktune.host.pinning.plan import plan_pins
from sparktune.host.step_json import encode_steps
from sparktune.model.pin import NodePins

_CASES = yaml_cases(Path(__file__).parent / "pins")
_EXPECT = frozenset({"pins", "steps", "notes", "refused", "hint", "left", "fine"})


@pytest.mark.parametrize(("_file", "case"), _CASES)
def test_plan(_file: str, case: dict[str, Any]) -> None:
    refuse_unknown(case, frozenset({"name", "why", "wish", "node", "process", "pollers", "expect"}))
    expect = case["expect"]
    refuse_unknown(expect, _EXPECT)
    pollers = [pin_poller(one) for one in case["pollers"]]

    found = plan_pins("spark2", pollers, pin_wish(case.get("wish", {})), pin_seen(case, pollers[0].thread.process))

    assert bool(found.plan.refusals) == ("refused" in expect), found.plan.refusals
    for refusal in found.plan.refusals:
        assert expect["refused"] in refusal.reason
        assert expect.get("hint", "") in refusal.hint
        assert refusal.hint, "a refusal without a way out"
    _compare_pins(found, expect)
    if "steps" in expect:
        assert [step["kind"] for step in encode_steps(found.plan)] == expect["steps"]
    for note in expect.get("notes", ()):
        assert any(note in one for one in found.plan.notes), found.plan.notes
    for words, left in zip(expect.get("left", ()), found.left, strict="left" in expect):
        assert words in left.reason
        assert left.fine is expect.get("fine", False)


def _compare_pins(found: NodePins, expect: dict[str, Any]) -> None:
    if "refused" not in expect and "left" not in expect:
        assert found.pins, found.left
    for pin, told in zip(found.pins, expect.get("pins", ()), strict="pins" in expect):
        refuse_unknown(told, frozenset({"tid", "from", "to", "which", "exe"}))
        assert pin.poller.thread.tid == told["tid"]
        assert pin.before == told.get("from", pin.before)
        assert format_cpulist(pin.cpus) == told.get("to", format_cpulist(pin.cpus))
        assert told.get("which", "busy") == (pin.rule.which if pin.rule else None) or "which" not in told
        assert "exe" not in told or (pin.rule is not None and pin.rule.exe == told["exe"])
