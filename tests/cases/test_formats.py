"""Texts that people write for services: what each says and where, and what an edit makes of it, line by line."""

import difflib
from pathlib import Path
from typing import Any

import pytest
from tests.support.trials import refuse_unknown
from tests.support.yaml_cases import yaml_cases

from sparktune.formats.kinds import all_formats, format_of, read_text
from sparktune.model.document import Document, Entry, NotThisFormat

_CASES = yaml_cases(Path(__file__).parent / "formats")
_KEYS = frozenset(
    {"name", "why", "as", "text", "format", "entries", "fixed", "words", "shell", "lost", "problems", "edits", "error"}
    | {"line", "hint"}
)
_EDIT_KEYS = frozenset({"set", "minus", "plus", "refused"})


def _read(case: dict[str, Any]) -> Document:
    wanted = case.get("format")
    name = case.get("as", "file")
    if wanted is None or case.get("as"):
        return read_text(name, case["text"])
    return next(one for one in all_formats() if one.id == wanted).read(name, case["text"])


@pytest.mark.parametrize(("_", "case"), _CASES)
def test_a_text_is_read_or_refused(_: str, case: dict[str, Any]) -> None:
    refuse_unknown(case, _KEYS)
    if "error" in case:
        with pytest.raises(NotThisFormat) as caught:
            _read(case)
        assert case["error"] in str(caught.value)
        assert caught.value.line == case.get("line", 0)
        assert case["hint"] in caught.value.hint
        return

    document = _read(case)

    assert document.text == case["text"]
    assert document.format == case.get("format", document.format)
    found = {(one.part, one.kind, one.name): one for one in document.entries}
    for part, kind, name, text, line in case.get("entries", ()):
        entry = found.get((part, kind, name))
        assert entry is not None, f"{part} {kind} {name} not in {sorted(found)}"
        assert (entry.text, entry.line) == (text, line), entry
        assert entry.span is not None or entry.fixed
    for part, kind, name, why in case.get("fixed", ()):
        entry = found[part, kind, name]
        assert entry.span is None
        assert why in entry.fixed
    _check_command(document, case)
    wanted = case.get("problems", [])
    problems = [(one.line, one.message) for one in document.problems]
    assert [line for line, _ in problems] == [line for line, _ in wanted], problems
    assert all(words in told for (_, told), (_, words) in zip(problems, wanted, strict=True)), problems


def _check_command(document: Document, case: dict[str, Any]) -> None:
    for part, wanted in case.get("words", {}).items():
        (command,) = [one for one in document.commands if one.part == part]
        assert [one.text for one in command.words] == wanted
        assert [one.text for one in command.lost] == case.get("lost", [])
        assert command.shell == case.get("shell", command.shell)


def _edits() -> list[Any]:
    return [
        pytest.param(param.values[1], edit, id=f"{param.id}: {edit['set']}")
        for param in _CASES
        for edit in param.values[1].get("edits", ())
    ]


@pytest.mark.parametrize(("case", "edit"), _edits())
def test_an_edit_changes_these_lines(case: dict[str, Any], edit: dict[str, Any]) -> None:
    refuse_unknown(edit, _EDIT_KEYS)
    document = _read(case)
    part, kind, name, value = edit["set"]
    form = next(one for one in all_formats() if one.id == document.format)
    if "refused" in edit:
        with pytest.raises(ValueError, match=r".") as caught:
            form.write(document, part, kind, name, value)
        assert edit["refused"] in str(caught.value)
        return

    after = form.write(document, part, kind, name, value)

    minus, plus = _changed(document.text, after)
    assert (minus, plus) == (edit.get("minus", []), edit.get("plus", []))
    again = form.read(document.name, after)
    found = [one for one in again.entries if (one.part, one.kind, one.name) == (part, kind, name)]
    assert _says(found, value)
    assert form.write(again, part, kind, name, value) == after, "an edit is needed once"


def _changed(before: str, after: str) -> tuple[list[str], list[str]]:
    """Return the lines that went and those that came; line ends are kept where they are not plain."""
    rows = list(difflib.ndiff(before.split("\n"), after.split("\n")))
    return [row[2:] for row in rows if row.startswith("- ")], [row[2:] for row in rows if row.startswith("+ ")]


def _says(found: list[Entry], value: str | None) -> bool:
    return not found if value is None else bool(found) and (found[-1].text or "") == value


@pytest.mark.parametrize(("_", "case"), [param for param in _CASES if "error" not in param.values[1]])
def test_what_is_written_unchanged_is_equal_byte_for_byte(_: str, case: dict[str, Any]) -> None:
    document = _read(case)
    form = next(one for one in all_formats() if one.id == document.format)
    for entry in document.entries:
        last = [
            one for one in document.entries if (one.part, one.kind, one.name) == (entry.part, entry.kind, entry.name)
        ]
        if last[-1].text is not None:
            assert form.write(document, entry.part, entry.kind, entry.name, last[-1].text) == document.text


def test_every_format_has_cases() -> None:
    formats = {_read(param.values[1]).format for param in _CASES if "error" not in param.values[1]}
    assert formats == {one.id for one in all_formats()}


def test_an_unknown_kind_is_told_what_is_supported() -> None:
    with pytest.raises(NotThisFormat) as caught:
        format_of("notes.txt", "dear diary\n")
    assert all(one.title in caught.value.hint for one in all_formats())


@pytest.mark.parametrize(
    "text",
    [
        "services:\n  a:\n    environment: [HF_TOKEN: hf_secret\n",
        "services:\n  a:\n    environment:\n      KEY: *hf_secret\n",
        "services:\n  a:\n    environment:\n      KEY: hf_secret\n      KEY: hf_secret2\n",
        "services:\n  a:\n    environment:\n      KEY: !hf_secret x\n",
    ],
)
def test_a_broken_file_is_not_quoted(text: str) -> None:
    """A line of such a file may hold a key; a message with it ends in reports."""
    with pytest.raises(NotThisFormat) as refused:
        read_text("compose.yaml", text)

    assert "hf_secret" not in f"{refused.value} {refused.value.hint}"
    assert refused.value.line
