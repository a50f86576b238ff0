"""What a test takes back on a machine is its own alone, and never what people or other runs have applied."""

import json
from pathlib import Path
from typing import Any

from tests.support.own_transactions import left_applied, names_there

_PREPARE = {"n": 1, "record": "PREPARE", "step": 0}


def _journal(there: Path, name: str, *records: dict[str, Any]) -> None:
    (there / name).mkdir(parents=True)
    lines = [json.dumps(record) for record in ({"n": 0, "record": "BEGIN", "steps": []}, *records)]
    (there / name / "journal.jsonl").write_text("\n".join(lines) + "\n")


def test_only_what_stands_and_is_below_the_tests_own_folder(tmp_path: Path) -> None:
    there, mine = tmp_path / "txn", tmp_path / "mine"
    assert names_there(there) == frozenset()
    own, commit = {**_PREPARE, "before": {f"{mine}/compose.yaml": None}}, {"n": 2, "record": "COMMIT", "at": 1}
    _journal(there, "0001-own", own, commit)
    _journal(there, "0002-reverted", own, commit, {"n": 3, "record": "REVERTED", "at": 2})
    _journal(there, "0003-of-people", {**_PREPARE, "before": {"/etc/sysctl.d/99.conf": None}}, commit)
    _journal(there, "0004-of-both", own, {**_PREPARE, "before": {"/etc/hosts": None}}, commit)
    _journal(there, "0005-of-a-neighbour", {**_PREPARE, "before": {f"{mine}-2/compose.yaml": None}}, commit)
    _journal(there, "0006-nothing", commit)
    _journal(there, "0007-broke-off", own)
    (there / "0008-just-made").mkdir()

    assert left_applied(names_there(there), mine, there) == ["0007-broke-off", "0001-own"]
