"""Files that people write, and what is read of them: rows as they are meant, or an error that says where and what."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.trials import refuse_unknown
from tests.support.yaml_cases import yaml_cases

from sparktune.bench.imports import SourceFile, read_table
from sparktune.errors import UsageError

_CASES = yaml_cases(Path(__file__).parent / "imports")
_KEYS = frozenset(
    {"name", "why", "file", "as", "beside", "source", "rows", "arms", "settings", "order", "knob", "command", "facts"}
    | {"notes", "error"}
)


@pytest.mark.parametrize(("form", "case"), _CASES)
def test_a_file_is_read_or_refused(form: str, case: dict[str, Any]) -> None:
    refuse_unknown(case, _KEYS)
    beside = {name: text.encode() for name, text in case.get("beside", {}).items()}
    file = SourceFile(name=case.get("as", f"case.{form}"), data=case["file"].encode(), beside=beside)
    if "error" in case:
        with pytest.raises(UsageError) as caught:
            read_table(file)
        told = f"{caught.value} {caught.value.hint}"
        assert [part for part in case["error"] if part not in told] == [], told
        assert caught.value.hint
        return

    table = read_table(file)

    for row, wanted in zip(table.rows, case.get("rows", table.rows), strict=True):
        if isinstance(wanted, dict):
            found = {key: getattr(row, key) for key in wanted}
            values = {key: pytest.approx(value) for key, value in wanted.get("values", {}).items()}
            assert found == {**wanted, **({"values": values} if "values" in wanted else {})}
    assert table.source == case.get("source", table.source)
    assert list(table.arms) == case.get("arms", list(table.arms))
    assert dict(table.settings) == case.get("settings", dict(table.settings))
    assert (None if table.order is None else list(table.order)) == case.get("order")
    assert (table.knob, table.command) == (case.get("knob", ""), case.get("command", ""))
    assert case.get("facts", {}).items() <= table.facts.items()
    assert [note for note in case.get("notes", ()) if note not in " ".join(table.notes)] == []
