"""Rules and dashboard are made of the list: each names series that are exported, with labels that they have."""

import json
import re
from typing import Any

import pytest
from ruamel.yaml import YAML

from sparktune.report.prometheus.dashboard import dashboard_json
from sparktune.report.prometheus.groups import all_groups
from sparktune.report.prometheus.rules import rules_yaml
from sparktune.report.prometheus.series import Alert, Series

_ALL = [series for group in all_groups() for series in group.series]
_SERIES = {series.name: series for series in _ALL}
_ALERTS = [pytest.param(series, alert, id=alert.name) for series in _ALL for alert in series.alerts]
_NAME = re.compile(r"sparktune_\w+")
_LABEL = re.compile(r"\$labels\.(\w+)")
_MATCHED = re.compile(r"[{,](\w+)[=!]")


def panels() -> list[dict[str, Any]]:
    """Return the panels of the dashboard that show something."""
    return [panel for panel in json.loads(dashboard_json())["panels"] if panel["type"] != "row"]


@pytest.mark.parametrize(("series", "alert"), _ALERTS)
def test_an_alert_asks_for_series_and_labels_that_are_there(series: Series, alert: Alert) -> None:
    asked = set(_NAME.findall(alert.expr))
    labels = {label for name in asked for label in _SERIES[name].labels}

    assert asked <= set(_SERIES)
    assert set(_MATCHED.findall(alert.expr)) <= labels
    assert set(_LABEL.findall(alert.summary + alert.runbook)) <= set(series.labels)


@pytest.mark.parametrize(("_", "alert"), _ALERTS)
def test_an_alert_names_the_next_step(_: Series, alert: Alert) -> None:
    assert alert.severity in {"critical", "warning", "info"}
    assert re.search(r"sparktune(_| )[a-z]+", alert.runbook)
    assert alert.summary[-1] != "."


def test_rules_hold_every_alert_once_with_how_long_it_must_be_so() -> None:
    groups = YAML(typ="safe", pure=True).load(rules_yaml())["groups"]
    rules = [rule for group in groups for rule in group["rules"]]

    wanted = [alert.name for series in _ALL for alert in series.alerts]
    assert [rule["alert"] for rule in rules] == wanted
    assert len(set(wanted)) == len(wanted)
    assert all(re.fullmatch(r"\d+[mhd]", rule["for"]) for rule in rules)


def test_a_panel_asks_for_series_and_labels_that_are_there() -> None:
    for panel in panels():
        (target,) = panel["targets"]
        asked = set(_NAME.findall(target["expr"]))
        labels = {label for name in asked for label in _SERIES[name].labels}

        assert asked
        assert asked <= set(_SERIES)
        assert set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])) <= labels


def test_panels_do_not_overlap_and_have_numbers_of_their_own() -> None:
    found = json.loads(dashboard_json())["panels"]
    taken: set[tuple[int, int]] = set()
    for panel in found:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken, panel["title"]
        assert max(x for x, _ in cells) < 24
        taken |= cells
    assert len({panel["id"] for panel in found}) == len(found)


def test_what_a_panel_shows_is_explained_and_its_absence_is_words() -> None:
    for panel in panels():
        assert panel["description"].endswith(".")
        assert panel["fieldConfig"]["defaults"]["noValue"] == "not known"
