"""The section ``quality:`` of an experiment file."""

from typing import Any

import pytest

from sparktune.errors import UsageError
from sparktune.io.experiment_quality import quality_of
from sparktune.model.quality import QualityPlan


def _fault(where: tuple[Any, ...], message: str, hint: str) -> UsageError:
    return UsageError(f"{'.'.join(map(str, where))}: {message}", hint=hint)


@pytest.mark.parametrize(
    ("value", "plan"),
    [
        (None, None),
        (False, None),
        (True, QualityPlan()),
        ({}, QualityPlan()),
        ({"canary": False, "every": "arm"}, QualityPlan(canary=False, every="arm")),
        ({"margin": 0.2, "answer_tokens": 64, "limit_s": 30}, QualityPlan(margin=0.2, answer_tokens=64, limit_s=30.0)),
    ],
)
def test_a_section_says_what_is_asked(value: object, plan: QualityPlan | None) -> None:
    assert quality_of(value, _fault) == plan


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("yes", "quality: true, or settings by name"),
        ({"tool": True}, "quality.tool: unknown key"),
        ({"tools": 1}, "quality.tools: true or false"),
        ({"tools": False, "canary": False}, "neither tools nor canary"),
        ({"every": "block"}, "quality.every: visit or arm"),
        ({"margin": 1}, "a share inside"),
        ({"margin": True}, "a number above 0"),
        ({"limit_s": -1}, "a number above 0"),
        ({"answer_tokens": 1.5}, "a whole number"),
    ],
)
def test_a_mistake_is_told_with_its_place(value: object, words: str) -> None:
    with pytest.raises(UsageError, match=words.replace(".", r"\.")):
        quality_of(value, _fault)
