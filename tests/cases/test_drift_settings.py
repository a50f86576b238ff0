"""Settings in four layers -> rows: ``drift_settings.yaml`` says what is in the layers, and what comes of it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from tests.support.trials import refuse_unknown

from sparktune.drift.aspects.settings import ASPECT
from sparktune.drift.live_layer import live_layer
from sparktune.model.drift import DriftCell, DriftRow, DriftView, PartSeen, ServicePlace
from sparktune.model.setting import Layer, Origin, Setting

_CASES = YAML(typ="safe").load(Path(__file__).with_name("drift_settings.yaml"))
_LAYERS = ("earned", "file", "echoed", "live")
_PART = frozenset({"node", "engine", "pid", "file", "asked", "resolved", "echoed", "unread"})
_ROW = frozenset({"key", "node", "status", "also", "why", "hint", "survives", *_LAYERS})


@pytest.mark.parametrize("case", _CASES, ids=lambda case: case["name"])
def test_rows(case: Mapping[str, Any]) -> None:
    refuse_unknown(case, frozenset({"name", "why", "earned", "parts", "expect", "absent"}))
    view = DriftView(
        service=ServicePlace(name="house", launcher="compose", where=()),
        parts=tuple(map(_part, case["parts"])),
        earned=[{"value": value} for value in case.get("earned", ())],
        earned_file="/srv/earned.yaml",
    )

    rows = ASPECT.rows(view)

    assert len({(row.key, row.node) for row in rows}) == len(rows), "a setting of a node has one row"
    for expected in case["expect"]:
        found = [row for row in rows if (row.key, row.node) == (expected["key"], expected["node"])]
        assert len(found) == 1, [(row.key, row.node) for row in rows]
        _compare(found[0], expected)
    assert not {row.key for row in rows} & set(case.get("absent", ()))


def _compare(row: DriftRow, expected: Mapping[str, Any]) -> None:
    refuse_unknown(expected, _ROW)
    assert row.status.value == expected["status"], row
    assert [one.value for one in row.also] == expected.get("also", []), row
    for layer in _LAYERS:
        if layer in expected:
            assert _shown(getattr(row, layer)) == expected[layer], row
    whys = expected.get("why", "")
    for words in whys if isinstance(whys, list) else [whys]:
        assert words in row.why
    assert expected.get("hint", "") in row.hint
    assert row.survives is expected.get("survives", row.survives)
    if row.status.is_drift:
        assert row.why, "drift that does not say what parts from what"
        assert row.hint, "drift without a next step"


def _part(one: Mapping[str, Any]) -> PartSeen:
    refuse_unknown(one, _PART)
    asked = _settings(one.get("asked", {}), Layer.LIVE, "pid 7", 0)
    return PartSeen(
        node=one["node"],
        name="server",
        where={},
        engine=one.get("engine", ""),
        file=_settings(one.get("file", {}), Layer.FILE, "/srv/compose.yaml", 1),
        echoed=_settings(one.get("echoed", {}), Layer.ECHOED, "boot.log", 1),
        asked=asked,
        live=live_layer(asked, _settings(one.get("resolved", {}), Layer.LIVE, "boot.log", 3).values()),
        unread=one.get("unread", {}),
        pid=one.get("pid", 7),
    )


def _settings(values: Mapping[str, Any], layer: Layer, place: str, line: int) -> dict[str, Setting]:
    origin = Origin(layer=layer, place=place, line=line)
    return {key: Setting(key=key, value=value, written=key, origin=origin) for key, value in values.items()}


def _shown(cell: DriftCell | None) -> str | None:
    return None if cell is None else cell.text or cell.state.value
