"""A node's journal and a saved file know a plan by its hash: it names what would be done, and only that."""

from dataclasses import replace

import msgspec
from tests.support.plans import EVERY_STEP, plan_of, planned

from sparktune.host.step_json import KINDS, encode_step, encode_steps, plan_hash
from sparktune.model.step import Step, ValueStep


def test_every_kind_of_step_has_its_name_on_the_wire() -> None:
    """A step that cannot be told to a node would end a command in a traceback."""
    assert set(KINDS.values()) == set(Step.__args__)  # type: ignore[attr-defined]
    told = [encode_step(step, "a-change") for step in EVERY_STEP]

    assert [step["kind"] for step in told] == list(KINDS)
    assert {step["change"] for step in told} == {"a-change"}
    assert told[4]["tasks"] == ({"pid": 1, "tid": 2, "start_time": 3},)


def test_a_step_on_the_wire_is_the_step() -> None:
    for step in EVERY_STEP:
        content = msgspec.json.decode(msgspec.json.encode(encode_step(step, "c")))
        kind = KINDS[content.pop("kind")]
        content.pop("change")

        assert msgspec.convert(content, kind) == step


def test_the_hash_is_of_what_would_be_done() -> None:
    plan = plan_of(*EVERY_STEP)
    words = replace(plan, notes=("a word",), steps=tuple(replace(step, before="other") for step in plan.steps))

    assert plan_hash(plan) == plan_hash(words), "how it is told does not matter"
    assert plan_hash(plan) != plan_hash(replace(plan, boot_id="another boot"))
    assert plan_hash(plan) != plan_hash(replace(plan, steps=plan.steps[::-1])), "the order does"
    assert plan_hash(plan) != plan_hash(replace(plan, steps=plan.steps[1:]))


def test_the_hash_does_not_depend_on_the_order_of_expectations() -> None:
    """Two runs over the same facts must come to the same plan."""
    one = planned(ValueStep(path="/a", text="1", expect={"/a": "x", "/b": None}))
    other = planned(ValueStep(path="/a", text="1", expect={"/b": None, "/a": "x"}))

    assert plan_hash(replace(plan_of(), steps=(one,))) == plan_hash(replace(plan_of(), steps=(other,)))


def test_a_plan_on_the_wire_keeps_its_order() -> None:
    assert [step["kind"] for step in encode_steps(plan_of(*EVERY_STEP))] == list(KINDS)
