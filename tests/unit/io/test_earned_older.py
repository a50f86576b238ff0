"""A file of earned settings that an older version wrote reads as it did, and keeps every byte that is not changed.

Such a file has no ``history``, and its entries no ``revision`` and no ``practice``: these came later, without a new
schema, since who does not know of them loses nothing by it.
"""

from pathlib import Path

import pytest

from sparktune.errors import UsageError
from sparktune.io.earned import forget_earned, keep_earned, read_earned, read_earned_file

_OLDER = """\
# Settings that an experiment earned: what, where it holds, and the evidence. Written by sparktune, made for review.
# evidence.ratio is how much better the value is than instead_of; low and high hold it with the confidence given.
schema: 1
settings:
- knob: DSPARK_MAX_INFLIGHT_PREFILLS
  value:
    env:
      DSPARK_MAX_INFLIGHT_PREFILLS: '2'
  instead_of:
    env:
      DSPARK_MAX_INFLIGHT_PREFILLS: '1'
  scope:
    cluster: spark1, spark2
    service: spark
    image_digest:
    launcher: compose
    model: example/model
    workload: '0011223344556677'
  evidence:
    run: 261101-120000-abc
    date: '2026-11-01'
    metric: ttft_max_s
    better: lower
    ratio: 1.8321
    low: 1.4017
    high: 2.3948
    confidence: 0.99
    blocks: 3
    blocks_won: 3
    guards:
      ttft_mean_s: no worse
- knob: --max-num-seqs
  value: {flags: {--max-num-seqs: 8}}
  instead_of: {flags: {--max-num-seqs: 4}}
  scope: {service: spark}
  evidence: {run: 261102-120000-abc, date: 2026-11-02, ratio: 1.2}
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "earned.yaml"
    file.write_text(_OLDER)
    return file


def test_it_reads_with_what_it_does_not_say_as_not_said(path: Path) -> None:
    found = read_earned_file(path)

    assert [entry.knob for entry in found.settings] == ["DSPARK_MAX_INFLIGHT_PREFILLS", "--max-num-seqs"]
    assert found.history == ()
    first, second = found.settings
    assert (first.scope.workload, first.scope.revision) == ("0011223344556677", None)
    assert (first.evidence.ratio, first.evidence.practice, first.ended) == (1.8321, "", None)
    assert (second.evidence.date, second.evidence.low, second.evidence.blocks) == ("2026-11-02", None, None)


def test_reading_writes_nothing(path: Path) -> None:
    before = path.stat().st_mtime_ns
    read_earned_file(path)

    assert (path.read_text(), path.stat().st_mtime_ns) == (_OLDER, before)


def test_a_new_entry_leaves_the_old_ones_byte_for_byte(path: Path) -> None:
    new = {"knob": "zzz", "value": {"env": {"Z": "1"}}, "scope": {"service": "spark"}, "evidence": {"run": "e9"}}
    keep_earned(path, new)

    assert path.read_text().startswith(_OLDER)
    assert [entry.knob for entry in read_earned(path)][-1] == "zzz"


def test_what_is_forgotten_goes_to_a_history_that_it_did_not_have(path: Path) -> None:
    gone, stays = read_earned(path)
    forget_earned(path, gone)
    found = read_earned_file(path)

    assert [entry.knob for entry in found.settings] == [stays.knob]
    assert [entry.knob for entry in found.history] == [gone.knob]
    assert dict(found.history[0].content) | {"ended": None} == dict(gone.content) | {"ended": None}
    kept = _OLDER[_OLDER.index("- knob: --max-num-seqs") :]
    assert kept in path.read_text()


def test_a_newer_file_is_refused_with_the_way_out(path: Path) -> None:
    newer = _OLDER.replace("schema: 1", "schema: 2")
    path.write_text(newer)

    with pytest.raises(UsageError, match="schema 2 is newer than 1") as caught:
        read_earned_file(path)

    assert "a newer sparktune wrote it" in caught.value.hint
    assert path.read_text() == newer
