"""An experiment keeps the image that its service runs; for what has none nobody is asked."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.experiments import experiment

from sparktune.cli._ab import world as _ab_world
from sparktune.cli._ab.world import with_image
from sparktune.experiment.design import Arm
from sparktune.model.drift import ServicePlace

_WORLD = SimpleNamespace(settings=SimpleNamespace(nodes={}, api_key=None))


@pytest.mark.parametrize(
    ("arm_b", "seen", "kept"),
    [
        ({"env": {"A": "2"}}, "sha256:1", "sha256:1"),
        ({"env": {"A": "2"}}, None, None),
        ({"keys": {"image": "other"}}, "sha256:1", None),  # which image won is another one than that which runs
    ],
)
def test_the_image_that_runs_is_in_the_scope(
    monkeypatch: pytest.MonkeyPatch, arm_b: dict[str, Any], seen: str | None, kept: str | None
) -> None:
    asked: list[ServicePlace] = []

    async def look(place: ServicePlace, _targets: object) -> str | None:
        asked.append(place)
        return seen

    monkeypatch.setattr(_ab_world, "running_image", look)
    plan = replace(experiment(), launcher="compose", arms={Arm.A: {}, Arm.B: arm_b}, scope={"service": "house"})
    found = with_image(plan, _WORLD)  # type: ignore[arg-type]
    assert found.scope.get("image_digest") == kept
    assert found.scope["service"] == "house"
    assert [place.name for place in asked] == ([] if "keys" in arm_b else ["house"])
