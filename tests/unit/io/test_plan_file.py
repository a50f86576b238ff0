"""A saved plan is carried out exactly as it was shown, or not at all."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.plans import EVERY_STEP, plan_of, planned, profiles, steps

from sparktune.errors import UsageError
from sparktune.io.plan_file import load_plans, save_plans
from sparktune.model.host_plan import Refusal, TakesEffect
from sparktune.model.profile import Profile
from sparktune.model.step import Step

_REFUSAL = Refusal(change="c", reason="r", hint="h", evidence=("e",), allow="--allow")


def test_what_was_saved_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    one = replace(plan_of(*EVERY_STEP, node="spark1", refusals=(_REFUSAL,)), notes=("näher",))
    two = replace(plan_of(node="spark2"), steps=(planned(EVERY_STEP[0], diff="-a\n+b\n", cuts_off=True),))

    save_plans(path, (one, two))

    assert dict(load_plans(path)) == {"spark1": one, "spark2": two}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(profile=profiles(), some=st.lists(steps(), max_size=4), effect=st.sampled_from(TakesEffect))
def test_any_plan_comes_back(tmp_path: Path, profile: Profile, some: list[Step], effect: TakesEffect) -> None:
    path = tmp_path / "plan.json"
    plan = replace(plan_of(), profile=profile, steps=tuple(planned(step, takes_effect=effect) for step in some))

    save_plans(path, (plan,))

    assert load_plans(path)["spark"] == plan


def test_the_same_plans_are_the_same_bytes(tmp_path: Path) -> None:
    """So that a file in version control shows when a plan has changed, and only then."""
    for name in ("one", "two"):
        save_plans(tmp_path / name, (plan_of(*EVERY_STEP),))

    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def _step(document: dict[str, Any]) -> dict[str, Any]:
    step: dict[str, Any] = document["plans"][0]["steps"][0]["step"]
    return step


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda document: _step(document).update(text="other"), "not those that were saved"),
        (lambda document: document["plans"][0].update(boot_id="other"), "not those that were saved"),
        (lambda document: document["plans"][0]["steps"].pop(), "not those that were saved"),
        (lambda document: document["plans"][0]["steps"].reverse(), "not those that were saved"),
        (lambda document: document["plans"].append(document["plans"][0]), "two plans for one node"),
        (lambda document: _step(document).update(kind="shell"), "'shell'"),
        (lambda document: _step(document).update(change="other"), "'other'"),
        (lambda document: _step(document).update(command="rm"), "no field 'command'"),
        (lambda document: _step(document).pop("path"), "path"),
        (lambda document: _step(document).update(mode="0644"), "int"),
        (lambda document: document["plans"][0]["profile"].update(speed="fast"), "no field 'speed'"),
        (lambda document: document["plans"][0]["profile"].update(mode="magic"), "magic"),
        (lambda document: document.update(schema=2), "schema"),
        (lambda document: document.update(more=1), "more"),
    ],
)
def test_an_edited_file_is_refused(tmp_path: Path, edit: Callable[[dict[str, Any]], object], words: str) -> None:
    """Nobody has been shown what it would do."""
    path = tmp_path / "plan.json"
    save_plans(path, (plan_of(*EVERY_STEP),))
    document = json.loads(path.read_text())
    edit(document)
    path.write_text(json.dumps(document))

    with pytest.raises(UsageError, match=words) as refused:
        load_plans(path)

    assert str(path) in str(refused.value)
    assert "--save" in refused.value.hint


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b"\xff\xfe", b"[" * 100_000, b"{not json"])
def test_a_file_that_is_something_else_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "plan.json"
    path.write_bytes(content)

    with pytest.raises(UsageError, match="no file of plans"):
        load_plans(path)


def test_plans_are_their_owners_alone(tmp_path: Path) -> None:
    """They have whole compose files in them, as they are and as they become."""
    path = tmp_path / "plan.json"
    path.touch(mode=0o644)

    save_plans(path, (plan_of(*EVERY_STEP),))

    assert path.stat().st_mode & 0o777 == 0o600


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="none cannot be read: No such file"):
        load_plans(tmp_path / "none")
