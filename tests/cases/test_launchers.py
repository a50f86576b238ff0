"""Every case in launchers/*.yaml: the settings of arms become actions and readers, or an error that says what is wrong.

``actions`` and ``readers`` are lists of ``{Type: {field: value}}``; fields that are not named are not compared.
"""

from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.support.yaml_cases import yaml_cases

from sparktune.deploy.launchers import all_launchers
from sparktune.model.launcher import ArmSpec

_FOLDER = Path(__file__).parent / "launchers"
_LAUNCHERS = {one.id: one for one in all_launchers()}


@pytest.mark.parametrize(("launcher", "case"), yaml_cases(_FOLDER))
def test_launcher(launcher: str, case: dict[str, Any]) -> None:
    plan = _LAUNCHERS[launcher].plan
    spec = ArmSpec(arms=case["arms"], live=case.get("live", {}), where=tuple(case.get("where", ())))
    if "error" in case:
        with pytest.raises(ValueError) as failed:  # noqa: PT011 - its text is what the case is about
            plan(spec, {}, case["arm"])
        assert case["error"] in str(failed.value), case["why"]
        return
    made = plan(spec, {}, case["arm"])
    for name in ("actions", "readers"):
        if name in case:
            _assert_like(getattr(made, name), case[name], f"{name}: {case['why']}")
    if "takes" in case:
        assert made.takes == case["takes"]
    if "original" in case:
        _assert_like(_LAUNCHERS[launcher].original(spec, {}), case["original"], "original")
    assert made.readers, "without a reader nothing may be measured"


def test_each_launcher_has_cases() -> None:
    """A launcher that nobody wrote a case for is one that nobody knows to work."""
    assert {path.stem for path in _FOLDER.glob("*.yaml")} == set(_LAUNCHERS)


def _assert_like(found: object, wanted: object, where: str) -> None:
    if isinstance(wanted, Mapping) and len(wanted) == 1 and is_dataclass(found):
        ((kind, fields),) = wanted.items()
        assert type(found).__name__ == kind, where
        for name, value in fields.items():
            _assert_like(getattr(found, name), value, f"{where}: {name}")
    elif isinstance(wanted, list) and isinstance(found, Sequence):
        assert len(found) == len(wanted), f"{where}: {found}"
        for place, (one, other) in enumerate(zip(found, wanted, strict=True)):
            _assert_like(one, other, f"{where}[{place}]")
    else:
        assert found == wanted, where
