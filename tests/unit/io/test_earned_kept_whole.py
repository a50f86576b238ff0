"""What a person wrote into earned.yaml stays byte for byte, whoever else writes, and whenever the writer is killed."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.killed import killed_after

from sparktune.errors import UsageError
from sparktune.io import earned
from sparktune.io.earned import forget_earned, keep_earned, read_earned, read_earned_file

_TEXT = """\
# ours
schema: 1
settings:
# what the house runs on
- knob: a   # asked for by many
  value: {env: {A: '2'}}
  scope: &house {service: house}
  note: |
    kept for

    the night
  evidence: {run: e1, date: 2026-10-01, ratio: 1.2}
# ask before
# you change it
- knob: b
  value: 3
  scope: {service: house}
  evidence: {run: e2}  # the second

# the end
"""
_NEW: dict[str, Any] = {"knob": "a", "value": 5, "scope": {"service": "house"}, "evidence": {"run": "e3"}}
_FORGOTTEN = re.compile(r"  ended:\r?\n    how: \w+\r?\n    date: '[\d-]+'\r?\n(    by: \w+\r?\n)?")


def _forget(path: Path) -> None:
    forget_earned(path, read_earned(path)[0])


def _keep(path: Path) -> None:
    keep_earned(path, _NEW)


@pytest.mark.parametrize("change", [_forget, _keep])
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "with a mark"])
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_every_line_of_a_person_is_kept(tmp_path: Path, change: Callable[[Path], None], mark: str, end: str) -> None:
    """Also those of an entry that moves to the history: its comments are why somebody wanted it."""
    path = tmp_path / "earned.yaml"
    before = (mark + _TEXT.replace("\n", end)).encode()
    path.write_bytes(before)

    change(path)

    now = path.read_bytes()
    assert sorted(set(before.splitlines()) - set(now.splitlines())) == []
    assert now.count(b"\n") == now.count(end.encode())
    text = now.decode()
    assert text.startswith(mark + "# ours")
    assert (text.index("what the house runs on") < text.index("knob: a   # asked")) is True
    assert text.index("history:") < text.index("what the house runs on"), "the comment goes with what it is about"
    assert text.index("ask before") < text.index("history:")
    (gone,) = read_earned_file(path).history
    assert gone.content["note"] == "kept for\n\nthe night\n"
    assert _FORGOTTEN.search(text)


def test_lines_that_end_otherwise_are_left_so(tmp_path: Path) -> None:
    """One colleague's editor has written half of it: a review shows what was earned, not every line of the file."""
    path = tmp_path / "earned.yaml"
    before = _TEXT.replace("\n", "\r\n", 4).encode()
    path.write_bytes(before)
    keep_earned(path, {**_NEW, "knob": "c"})
    assert [line for line in before.splitlines(keepends=True) if line not in path.read_bytes().splitlines(True)] == []
    assert path.read_bytes().count(b"\r\n") == 4


def test_a_last_line_without_an_end_and_an_entry_in_brackets_move_too(tmp_path: Path) -> None:
    path = tmp_path / "earned.yaml"
    path.write_text("schema: 1\nsettings:\n- {knob: a, scope: {}, evidence: {}}\n- knob: b\n  scope: {}")
    for _ in range(2):
        _forget(path)
    file = read_earned_file(path)
    assert (file.settings, [one.knob for one in file.history]) == ((), ["a", "b"])


def test_what_somebody_wrote_meanwhile_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An editor knows nothing of our lock."""
    path = tmp_path / "earned.yaml"
    path.write_text(_TEXT)
    real = earned.edited

    def meanwhile(*arguments: Any) -> str:  # noqa: ANN401 - as it has them
        path.write_text(_TEXT + "mine: 1\n")
        return real(*arguments)

    monkeypatch.setattr(earned, "edited", meanwhile)
    with pytest.raises(UsageError, match="changed by somebody else meanwhile; nothing was written") as caught:
        _keep(path)
    assert "do this again" in caught.value.hint
    assert path.read_text() == _TEXT + "mine: 1\n"


def test_nothing_is_written_that_nobody_could_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "earned.yaml"
    path.write_text(_TEXT)
    monkeypatch.setattr(earned, "MOST_BYTES", len(_TEXT) + 10)
    with pytest.raises(UsageError, match="would be larger than") as caught:
        _keep(path)
    assert "history" in caught.value.hint
    assert path.read_text() == _TEXT


def test_killed_at_any_change_it_is_as_it_was_or_as_it_is_to_be(tmp_path: Path) -> None:
    seen = set[int]()
    for changes in range(20):
        path = tmp_path / str(changes) / "earned.yaml"
        path.parent.mkdir()
        path.write_text(_TEXT)
        with killed_after(changes) as killed:
            _keep(path)
        seen.add(len(read_earned_file(path).history))
        assert len(read_earned(path)) == 2
        if not killed.killed:
            break
        _keep(path)  # the lock went with who had it
        assert [one.knob for one in read_earned_file(path).history] == ["a"]
    assert not killed.killed, "it is walked over to its end"
    assert seen == {0, 1}
