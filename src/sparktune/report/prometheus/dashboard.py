"""A Grafana dashboard, made of the list of series: a row of panels per group.

Source: Grafana's "Dashboard JSON model" (schema version 39, Grafana 10 and later).
"""

__all__ = ["dashboard_json"]

import json
from typing import Any, Final

from sparktune.report.prometheus.groups import all_groups
from sparktune.report.prometheus.series import Panel, Series, Shape

_COLUMNS: Final = 24
_HEIGHT: Final = 8
_SOURCE: Final = {"type": "prometheus", "uid": "${datasource}"}
_HIDDEN: Final = ("Time", "__name__", "Value", "instance", "job")
_COUNTED: Final = frozenset({"sparktune_findings", "sparktune_fabric_gid_index"})
"""Tables whose value says something; that of the others is always 1."""


def dashboard_json() -> str:
    """Return the dashboard, to be imported; it asks which Prometheus is meant."""
    content = {
        "__inputs": [],
        "uid": "sparktune",
        "title": "sparktune",
        "description": "What sparktune export prometheus tells. Generated: sparktune export dashboard",
        "tags": ["sparktune", "dgx-spark"],
        "schemaVersion": 39,
        "version": 1,
        "editable": True,
        "refresh": "1m",
        "time": {"from": "now-6h", "to": "now"},
        "templating": {
            "list": [{"name": "datasource", "type": "datasource", "query": "prometheus", "label": "Prometheus"}]
        },
        "annotations": {"list": []},
        "panels": _panels(),
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _panels() -> list[dict[str, Any]]:
    """Place the panels of each group below its row, from left to right, as many as fit side by side."""
    panels: list[dict[str, Any]] = []
    top = 0
    for group in all_groups():
        shown = [(series, series.panel) for series in group.series if series.panel is not None]
        if not shown:
            continue
        panels.append(_row(len(panels) + 1, group.title, top))
        top, left = top + 1, 0
        for series, panel in shown:
            if left + panel.width > _COLUMNS:
                top, left = top + _HEIGHT, 0
            panels.append({"id": len(panels) + 1, **_panel(series, panel), "gridPos": _place(left, top, panel.width)})
            left += panel.width
        top += _HEIGHT
    return panels


def _row(number: int, title: str, top: int) -> dict[str, Any]:
    place = {"x": 0, "y": top, "w": _COLUMNS, "h": 1}
    return {"id": number, "type": "row", "title": title, "collapsed": False, "gridPos": place, "panels": []}


def _place(left: int, top: int, width: int) -> dict[str, int]:
    return {"x": left, "y": top, "w": width, "h": _HEIGHT}


def _panel(series: Series, panel: Panel) -> dict[str, Any]:
    table = panel.shape is Shape.TABLE
    target = {
        "refId": "A",
        "datasource": _SOURCE,
        "expr": panel.expr,
        "instant": panel.shape is not Shape.LINES,
        "range": panel.shape is Shape.LINES,
        "legendFormat": panel.legend or "__auto",
        **({"format": "table"} if table else {}),
    }
    return {
        "type": panel.shape.value,
        "title": panel.title,
        "description": series.help,
        "datasource": _SOURCE,
        "targets": [target],
        "fieldConfig": {"defaults": _field(panel), "overrides": []},
        "options": _options(panel),
        **({"transformations": [_columns(series)]} if table else {}),
    }


def _field(panel: Panel) -> dict[str, Any]:
    steps = panel.steps or ((0.0, "text"),)
    colours = [{"value": None if place == 0 else value, "color": colour} for place, (value, colour) in enumerate(steps)]
    mappings = [{"type": "value", "options": {value: {"text": text} for value, text in panel.words.items()}}]
    return {
        "unit": panel.unit,
        "noValue": "not known",
        "thresholds": {"mode": "absolute", "steps": colours},
        "mappings": mappings if panel.words else [],
        **({"color": {"mode": "thresholds"}} if panel.shape is Shape.STAT else {}),
    }


def _options(panel: Panel) -> dict[str, Any]:
    if panel.shape is Shape.STAT:
        last = {"calcs": ["lastNotNull"], "fields": "", "values": False}
        return {"reduceOptions": last, "colorMode": "value", "textMode": "value_and_name", "graphMode": "none"}
    if panel.shape is Shape.LINES:
        legend = {"displayMode": "list", "placement": "bottom", "showLegend": True, "calcs": []}
        return {"legend": legend, "tooltip": {"mode": "multi", "sort": "none"}}
    return {"showHeader": True, "cellHeight": "sm"}


def _columns(series: Series) -> dict[str, Any]:
    """Show a table's labels in the order of the series, and its value only where it says something."""
    hidden = {name: True for name in _HIDDEN if name != "Value" or series.name not in _COUNTED}
    order = {name: place for place, name in enumerate((*series.labels, "Value"))}
    return {"id": "organize", "options": {"excludeByName": hidden, "indexByName": order, "renameByName": {}}}
