"""Every guard against what a node or a load told, tick by tick: whether it stops, when, and with which words."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.guard_ticks import guard_limits, host_ticks, load_ticks
from tests.support.trials import refuse_unknown
from tests.support.yaml_cases import yaml_cases

from sparktune.experiment.guarding import is_of_load
from sparktune.experiment.guards import all_guards
from sparktune.model.guard import Guard, GuardView, Limits, Phase, Trip

_CASES = yaml_cases(Path(__file__).parent / "guards")
_GUARDS = {guard.id: guard for guard in all_guards()}
_KEYS = frozenset({"name", "why", "phase", "every_s", "limits", "ticks", "load", "baseline", "expect"})
_EXPECT_KEYS = frozenset({"at", "evidence", "hint"})


@pytest.mark.parametrize(("guard_id", "case"), _CASES)
def test_guard(guard_id: str, case: dict[str, Any]) -> None:
    refuse_unknown(case, _KEYS)
    guard, limits = _GUARDS[guard_id], guard_limits(case.get("limits", {}))
    trips = [guard.judge(view, limits) for view in _views(guard, case)]
    place = next((place for place, trip in enumerate(trips) if trip is not None), None)

    if case["expect"] == "none":
        assert place is None, trips[place]
        return
    refuse_unknown(case["expect"], _EXPECT_KEYS)
    assert place is not None
    trip = trips[place]
    assert trip is not None
    assert place == case["expect"].get("at", place), trip.evidence
    assert case["expect"]["evidence"] in trip.evidence
    assert case["expect"].get("hint", "") in trip.hint
    assert trip.guard == guard_id
    assert "\n" not in trip.evidence + trip.hint


@pytest.mark.parametrize("guard_id", _GUARDS)
def test_every_guard_has_cases_that_stop_and_that_do_not(guard_id: str) -> None:
    expected = [param.values[1]["expect"] for param in _CASES if param.values[0] == guard_id]

    assert "none" in expected
    assert any(one != "none" for one in expected)


@pytest.mark.parametrize(("guard_id", "case"), _CASES)
def test_what_is_not_known_stops_nothing(guard_id: str, case: dict[str, Any]) -> None:
    """A case in which a guard stops is silent as soon as the values that it needs are gone."""
    guard, limits = _GUARDS[guard_id], guard_limits(case.get("limits", {}))
    blank = {name.partition(".")[0]: None for name in guard.needs}
    for view in _views(guard, case):
        if is_of_load(guard):
            blank = {name: 0 if name in {"requests", "failed"} else None for name in blank}
            unknown = replace(view, load=tuple(replace(tick, **blank) for tick in view.load))
        else:
            blank = {name: () if name == "gpus" else None for name in blank}
            ticks = tuple(replace(tick, **blank) for tick in view.ticks)
            unknown = replace(view, ticks=ticks, first=ticks[0])
        assert guard.judge(unknown, limits) is None


@pytest.mark.parametrize(("guard_id", "case"), _CASES)
def test_a_guard_that_is_switched_off_stops_nothing(guard_id: str, case: dict[str, Any]) -> None:
    guard, limits = _GUARDS[guard_id], guard_limits(case.get("limits", {}))
    if not guard.limit:
        pytest.skip("this one is always on")
    off = dict.fromkeys(("swap_pages", "swap_pages_at_once")) if guard.limit == "swap_pages" else {}
    value = False if isinstance(getattr(Limits(), guard.limit), bool) else None

    assert all(
        guard.judge(view, replace(limits, **{guard.limit: value, **off})) is None for view in _views(guard, case)
    )


@pytest.mark.parametrize(("guard_id", "case"), _CASES)
def test_the_tight_phases_stop_no_later(guard_id: str, case: dict[str, Any]) -> None:
    guard, limits = _GUARDS[guard_id], guard_limits(case.get("limits", {}))
    for view in _views(guard, case):
        usual, tight = replace(view, phase=Phase.LOAD), replace(view, phase=Phase.FIRST_PREFILL)
        assert _stops(guard.judge(usual, limits)) <= _stops(guard.judge(tight, limits))


def test_the_docstring_of_a_guard_has_its_fields() -> None:
    """The reference page is made of it."""
    for guard in _GUARDS.values():
        text = str(__import__(guard.judge.__module__, fromlist=["GUARD"]).__doc__)
        assert text.startswith(f"{guard.id}: ")
        fields = re.findall(r"^([A-Z][a-z ]+):", text, re.MULTILINE)
        assert [name for name in fields if name != "Off by default"] == [
            "Looks at",
            "Stops when",
            "Unknown when",
            "Source",
        ], guard.id


def _stops(trip: Trip | None) -> bool:
    return trip is not None


def _views(guard: Guard, case: dict[str, Any]) -> list[GuardView]:
    """Return what the guard sees after each tick."""
    phase, every_s = Phase(case.get("phase", "load")), float(case.get("every_s", 0.5))
    ticks, load = host_ticks(case.get("ticks", [{}]), every_s), load_ticks(case.get("load", []), every_s)
    views = [
        GuardView(
            node="spark1",
            phase=phase,
            first=ticks[0],
            ticks=ticks[: place + 1],
            load=load[: place + 1],
            baseline_failed_share=case.get("baseline"),
        )
        for place in range(max(len(ticks), len(load)))
    ]
    assert (len(load) > 0) == is_of_load(guard), "guards of the load have load:, the others ticks:"
    return views
