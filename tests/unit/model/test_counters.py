"""Differences of counters: unknown stays unknown, a restart is seen, and 0 is a measured 0."""

import pytest

from sparktune.model.counters import CounterDelta, Counters


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param({}, {}, {}, id="a server that tells nothing"),
        pytest.param(
            {"generation_tokens": 100.0, "preemptions": 2.0},
            {"generation_tokens": 164.0, "preemptions": 2.0},
            {"generation_tokens": 64.0, "preemptions": 0.0},
            id="what rose and what did not",
        ),
        pytest.param({"prompt_tokens": 5.0}, {}, {}, id="unknown at the end"),
        pytest.param({}, {"prompt_tokens": 5.0}, {}, id="unknown at the beginning"),
        pytest.param({"prompt_tokens": 5.0}, {"prompt_tokens": 4.0}, {"reset": True}, id="fell: a restart"),
        pytest.param(
            {"prompt_tokens": 5.0, "identity": "boot 1"},
            {"prompt_tokens": 9.0, "identity": "boot 2"},
            {"reset": True},
            id="another identity: a restart that overtook the counter",
        ),
        pytest.param(
            {"spec_accepted_per_position": (9.0, 5.0)},
            {"spec_accepted_per_position": (12.0, 6.0, 1.0)},
            {"spec_accepted_per_position": (3.0, 1.0, 1.0)},
            id="a draft position appears: it was 0",
        ),
        pytest.param(
            {},
            {"spec_accepted_per_position": (3.0, 1.0)},
            {"spec_accepted_per_position": (3.0, 1.0)},
            id="positions appear with the first speculative request",
        ),
        pytest.param({"spec_accepted_per_position": (3.0,)}, {}, {}, id="positions that vanish are unknown"),
        pytest.param(
            {"spec_accepted_per_position": (3.0, 2.0)},
            {"spec_accepted_per_position": (4.0, 1.0)},
            {"reset": True},
            id="a position fell: a restart",
        ),
    ],
)
def test_between(before: dict[str, object], after: dict[str, object], expected: dict[str, object]) -> None:
    delta = CounterDelta.between(Counters(**before), Counters(**after))

    assert delta == CounterDelta(**expected)


def test_a_rise_belongs_to_no_server() -> None:
    """An identity in a difference would make it look like a reading."""
    reading = Counters(identity="17", prompt_tokens=1.0)

    assert CounterDelta.between(reading, reading) == CounterDelta(prompt_tokens=0.0, identity=None)
