"""Whatever a person has made of the file's form: after an edit it says what was meant, and nothing else."""

from itertools import product
from typing import Any

import pytest
from ruamel.yaml import YAML

from sparktune.io.earned_text import Items, Moved, edited

_NEW = {"knob": "n", "value": {"env": {"A": "2"}}, "scope": {}, "evidence": {}}
_TEXTS = {
    "as written": "schema: 1\nsettings:\n- knob: a\n  scope: {}\n- knob: b\n  scope: {}\n",
    "ends of lines": "schema: 1\r\nsettings:\r\n- knob: a\r\n  scope: {}\r\n- knob: b\r\n  scope: {}\r\n",
    "no last end": "schema: 1\nsettings:\n- knob: a\n  scope: {}",
    "a document": "---\nschema: 1\nsettings:\n- knob: a\n  scope: {}\n...\n",
    "anchors": "schema: 1\nsettings:\n- &x\n  knob: a\n  scope: &s {service: q}\n- knob: b\n  scope: *s\n",
    "brackets": "schema: 1\nsettings: [{knob: a, scope: {}}, {knob: b, scope: {}}]\n",
    "dashes alone": "schema: 1\nsettings:\n-\n  knob: a\n  scope: {}\n-\n  knob: b\n  scope: {}\n",
    "history first": "schema: 1\nhistory:\n- knob: z\n  scope: {}\n# c\nsettings:\n  - knob: a\n    scope: {}\n",
    "blank lines": "schema: 1\nsettings:\n\n- knob: a\n  scope: {}\n\n\n- knob: b\n  scope: {}\n\nother: 1\n",
    "a text": "schema: 1\nsettings:\n- knob: a\n  scope: {}\n  note: |\n    # text\n    x\n- knob: b\n  scope: {}\n",
    "nothing": "schema: 1\nsettings: []\n",
    "JSON": '{"schema": 1, "settings": [{"knob": "a", "scope": {}}]}\n',
}


def _load(text: str) -> dict[str, Any]:
    return dict(YAML(typ="safe", pure=True).load(text))


@pytest.mark.parametrize("text", list(_TEXTS.values()), ids=list(_TEXTS))
def test_an_edit_says_what_was_meant(text: str) -> None:
    before = _load(text)
    all_of = list(range(len(before["settings"])))
    settings: list[Items] = [[], [_NEW], [*all_of, _NEW], [_NEW, *all_of], all_of[1:], all_of[:-1]]
    past: list[Items | None] = [None, [_NEW], [*range(len(before.get("history", []))), _NEW]]
    for kept, history in product(settings, past):
        lists = {"settings": kept} | ({} if history is None else {"history": history})
        wanted = before | {
            key: [before.get(key, [])[one] if isinstance(one, int) else one for one in items]
            for key, items in lists.items()
        }
        assert _load(edited(text, lists)) == wanted


@pytest.mark.parametrize("text", list(_TEXTS.values()), ids=list(_TEXTS))
def test_what_moves_is_what_it_was_and_what_is_added(text: str) -> None:
    before = _load(text)
    past, added = before.get("history", []), {"ended": {"how": "forgotten"}}
    for place, one in enumerate(before["settings"]):
        kept = [number for number in range(len(before["settings"])) if number != place]
        moved = Moved(key="settings", place=place, added=added)
        for settings in (kept, [_NEW, *kept]):
            items = {"settings": [before["settings"][item] if isinstance(item, int) else item for item in settings]}
            now = edited(text, {"settings": settings, "history": [*range(len(past)), moved]})
            assert _load(now) == {**before, **items, "history": [*past, {**one, **added}]}


def test_lines_end_as_they_did() -> None:
    text = _TEXTS["ends of lines"]
    new = edited(text, {"settings": [0, 1, _NEW]})
    assert new.count("\n") == new.count("\r\n") > text.count("\r\n")


def test_nothing_to_do_changes_nothing() -> None:
    for text in _TEXTS.values():
        if text.endswith("\n") and "[" not in text:
            assert edited(text, {"settings": list(range(len(_load(text)["settings"])))}) == text
